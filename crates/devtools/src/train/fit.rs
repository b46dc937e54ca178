//! Multinomial logistic regression with a quadratic penalty, fitted by L-BFGS. It uses no randomness, so the same
//! training examples give the same weights.

/// Categories.
pub const CATEGORY_COUNT: usize = 10;
/// Pairs of steps that the curvature is estimated from.
const CURVATURE_PAIRS: usize = 10;

/// One example: features in order, wanted shares, weight.
#[derive(Debug, Clone)]
pub struct TrainingExample {
    pub features: Vec<(usize, f64)>,
    pub target: [f64; CATEGORY_COUNT],
    pub weight: f64,
}

/// Weights by feature, then category; the last row is the bias.
pub type Weights = Vec<[f64; CATEGORY_COUNT]>;

/// Scores of an example.
pub fn scores(weights: &Weights, features: &[(usize, f64)]) -> [f64; CATEGORY_COUNT] {
    let mut scores = weights.last().copied().unwrap_or_default();
    for (feature, amount) in features {
        for (score, weight) in scores.iter_mut().zip(&weights[*feature]) {
            *score += amount * weight;
        }
    }
    scores
}

/// Shares that add up to one.
pub fn softmax(scores: &[f64; CATEGORY_COUNT], temperature: f64) -> [f64; CATEGORY_COUNT] {
    let most = scores.iter().copied().fold(f64::MIN, f64::max);
    let shares = scores.map(|score| ((score - most) / temperature).exp());
    let all: f64 = shares.iter().sum();
    shares.map(|share| share / all)
}

/// Fits weights for `features` features; `penalty` pulls each towards 0, the bias a hundredth of that.
pub fn fit(examples: &[TrainingExample], features: usize, penalty: f64, rounds: usize) -> Weights {
    let mut at: Weights = vec![[0.0; CATEGORY_COUNT]; features + 1];
    let (mut loss, mut slope) = loss(examples, &at, penalty);
    let mut steps: Vec<(Weights, Weights, f64)> = Vec::new();
    for _ in 0..rounds {
        let mut direction = direction(&slope, &steps);
        let mut descent = dot(&direction, &slope);
        if descent >= 0.0 {
            steps.clear();
            direction = slope.iter().map(|row| row.map(|value| -value)).collect();
            descent = -dot(&slope, &slope);
        }
        let mut length = if steps.is_empty() { 1.0 / dot(&slope, &slope).sqrt().max(1.0) } else { 1.0 };
        let (next, next_loss, next_slope) = loop {
            let next = moved(&at, &direction, length);
            let (next_loss, next_slope) = self::loss(examples, &next, penalty);
            if next_loss <= loss + 1e-4 * length * descent || length < 1e-12 {
                break (next, next_loss, next_slope);
            }
            length /= 2.0;
        };
        let (step, bend) = (moved(&next, &at, -1.0), moved(&next_slope, &slope, -1.0));
        let curvature = dot(&step, &bend);
        if curvature > 1e-12 {
            if steps.len() == CURVATURE_PAIRS {
                steps.remove(0);
            }
            steps.push((step, bend, 1.0 / curvature));
        }
        let gained = loss - next_loss;
        (at, loss, slope) = (next, next_loss, next_slope);
        if gained.abs() < 1e-7 * loss.abs() {
            break;
        }
    }
    at
}

fn loss(examples: &[TrainingExample], weights: &Weights, penalty: f64) -> (f64, Weights) {
    let mut slope: Weights = vec![[0.0; CATEGORY_COUNT]; weights.len()];
    let mut sum = 0.0;
    let bias = weights.len() - 1;
    for example in examples {
        let shares = softmax(&scores(weights, &example.features), 1.0);
        let mut error = [0.0; CATEGORY_COUNT];
        for category in 0..CATEGORY_COUNT {
            sum -= example.weight * example.target[category] * shares[category].max(1e-300).ln();
            error[category] = example.weight * (shares[category] - example.target[category]);
        }
        for (feature, amount) in &example.features {
            for (slope, error) in slope[*feature].iter_mut().zip(&error) {
                *slope += amount * error;
            }
        }
        for (slope, error) in slope[bias].iter_mut().zip(&error) {
            *slope += error;
        }
    }
    for (row, (weights, slope)) in weights.iter().zip(&mut slope).enumerate() {
        let penalty = if row == bias { penalty * 0.01 } else { penalty };
        for (weight, slope) in weights.iter().zip(slope) {
            sum += penalty / 2.0 * weight * weight;
            *slope += penalty * weight;
        }
    }
    (sum, slope)
}

fn direction(slope: &Weights, steps: &[(Weights, Weights, f64)]) -> Weights {
    let mut direction: Weights = slope.iter().map(|row| row.map(|value| -value)).collect();
    let mut shares = Vec::with_capacity(steps.len());
    for (step, bend, inverse) in steps.iter().rev() {
        let share = inverse * dot(step, &direction);
        add(&mut direction, bend, -share);
        shares.push(share);
    }
    if let Some((step, bend, _)) = steps.last() {
        let scale = dot(step, bend) / dot(bend, bend).max(1e-300);
        direction.iter_mut().flatten().for_each(|value| *value *= scale);
    }
    for ((step, bend, inverse), share) in steps.iter().zip(shares.into_iter().rev()) {
        let back = inverse * dot(bend, &direction);
        add(&mut direction, step, share - back);
    }
    direction
}

fn dot(a: &Weights, b: &Weights) -> f64 {
    a.iter().zip(b).map(|(a, b)| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>()).sum()
}

fn add(to: &mut Weights, from: &Weights, times: f64) {
    for (to, from) in to.iter_mut().zip(from) {
        for (to, from) in to.iter_mut().zip(from) {
            *to += from * times;
        }
    }
}

fn moved(from: &Weights, along: &Weights, length: f64) -> Weights {
    let mut to = from.clone();
    add(&mut to, along, length);
    to
}
