//! Positions of the elements of a list, grouped by a small number of each element.

use crate::hub::count;

/// The groups, all in one list.
#[derive(Default)]
pub(super) struct Grouped {
    /// By group: where it ends in `positions`. It begins where the one before it ends.
    ends: Vec<u32>,
    positions: Vec<u32>,
}

impl Grouped {
    /// `groups` is the number of groups; `group_of` gives each element's, in order.
    pub(super) fn new(groups: usize, group_of: impl Iterator<Item = u32> + Clone) -> Self {
        let mut places = vec![0; groups];
        group_of.clone().for_each(|group| places[group as usize] += 1);
        let mut start = 0;
        for place in &mut places {
            start += std::mem::replace(place, start);
        }
        let mut positions = vec![0; start as usize];
        for (position, group) in group_of.enumerate() {
            let place = &mut places[group as usize];
            positions[*place as usize] = count(position);
            *place += 1;
        }
        // Each place has moved to the end of its group.
        Self { ends: places, positions }
    }

    /// Positions of the elements of a group, in order; none of a group that does not exist.
    pub(super) fn of(&self, group: u32) -> &[u32] {
        let group = group as usize;
        let start = group.checked_sub(1).and_then(|before| self.ends.get(before)).copied().unwrap_or(0);
        self.ends.get(group).map_or(&[], |end| &self.positions[start as usize..*end as usize])
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::Grouped;

    proptest! {
        #[test]
        fn each_group_has_the_positions_of_its_elements(groups in proptest::collection::vec(0_u32..5, 0..30)) {
            let grouped = Grouped::new(5, groups.iter().copied());
            for group in 0..7 {
                let expected: Vec<u32> = (0..).zip(&groups).filter(|(_, of)| **of == group).map(|(at, _)| at).collect();
                prop_assert_eq!(grouped.of(group), expected);
            }
        }
    }
}
