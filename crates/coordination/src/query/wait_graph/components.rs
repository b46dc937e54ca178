//! Strongly connected components of a directed graph, and the number of nodes that each node leads to.

const UNSEEN: u32 = u32::MAX;
/// Nodes that are counted in one pass, so that memory grows with the number of nodes and not with its square.
const NODES_PER_PASS: usize = 1_024;
const WORDS: usize = NODES_PER_PASS / 64;

/// Nodes that all lead to each other, component by component; each comes after all that it leads to (Tarjan). `edges` has
/// for each node the nodes it leads to.
pub(super) fn components(edges: &[Vec<u32>]) -> Vec<Vec<u32>> {
    let (mut order, mut low_link) = (vec![UNSEEN; edges.len()], vec![0; edges.len()]);
    let mut on_stack = vec![false; edges.len()];
    let (mut stack, mut path, mut found, mut seen) = (Vec::new(), Vec::new(), Vec::new(), 0);
    for start in 0..edges.len() {
        if order[start] != UNSEEN {
            continue;
        }
        path.push((start, 0));
        while let Some((node, tried)) = path.last_mut() {
            let node = *node;
            if *tried == 0 {
                (order[node], low_link[node]) = (seen, seen);
                seen += 1;
                stack.push(node);
                on_stack[node] = true;
            }
            if let Some(to) = edges[node].get(*tried).map(|to| *to as usize) {
                *tried += 1;
                if order[to] == UNSEEN {
                    path.push((to, 0));
                } else if on_stack[to] {
                    low_link[node] = low_link[node].min(order[to]);
                }
                continue;
            }
            path.pop();
            if let Some((parent, _)) = path.last() {
                low_link[*parent] = low_link[*parent].min(low_link[node]);
            }
            if low_link[node] == order[node] {
                let first = stack.iter().rposition(|member| *member == node).unwrap_or(0);
                let members = stack.split_off(first);
                members.iter().for_each(|member| on_stack[*member] = false);
                found.push(members.into_iter().map(crate::hub::count).collect());
            }
        }
    }
    found
}

/// For each node the number of other nodes it leads to, from the components of the graph in their order.
pub(super) fn reach_counts(edges: &[Vec<u32>], components: &[Vec<u32>]) -> Vec<u32> {
    let mut component_of = vec![0; edges.len()];
    for (number, members) in components.iter().enumerate() {
        members.iter().for_each(|member| component_of[*member as usize] = number);
    }
    let mut totals = vec![0; components.len()];
    for first in (0..edges.len()).step_by(NODES_PER_PASS) {
        // By component: which nodes of this pass it leads to.
        let mut reached = vec![[0_u64; WORDS]; components.len()];
        for (number, members) in components.iter().enumerate() {
            let mut set = [0; WORDS];
            for member in members.iter().map(|member| *member as usize) {
                if let Some(place) = member.checked_sub(first).filter(|place| *place < NODES_PER_PASS) {
                    set[place / 64] |= 1 << (place % 64);
                }
            }
            for to in members.iter().flat_map(|member| &edges[*member as usize]) {
                let other = component_of[*to as usize];
                if other != number {
                    set.iter_mut().zip(&reached[other]).for_each(|(word, known)| *word |= known);
                }
            }
            totals[number] += set.iter().map(|word| word.count_ones()).sum::<u32>();
            reached[number] = set;
        }
    }
    component_of.into_iter().map(|component| totals[component] - 1).collect()
}
