export type Residuals = (parameters: Float64Array, out: Float64Array) => void

/** Solves a symmetric positive definite system in place by elimination, and returns false if the system is singular. */
function solve(matrix: Float64Array, rightHandSide: Float64Array, n: number): boolean {
  for (let i = 0; i < n; i++) {
    const pivot = matrix[i * n + i]!
    if (!(pivot > 1e-300)) return false
    for (let r = i + 1; r < n; r++) {
      const factor = matrix[r * n + i]! / pivot
      if (factor === 0) continue
      for (let c = i; c < n; c++) matrix[r * n + c] = matrix[r * n + c]! - factor * matrix[i * n + c]!
      rightHandSide[r] = rightHandSide[r]! - factor * rightHandSide[i]!
    }
  }
  for (let i = n - 1; i >= 0; i--) {
    let value = rightHandSide[i]!
    for (let c = i + 1; c < n; c++) value -= matrix[i * n + c]! * rightHandSide[c]!
    rightHandSide[i] = value / matrix[i * n + i]!
  }
  return true
}

const sumOfSquares = (x: Float64Array): number => {
  let sum = 0
  for (let i = 0; i < x.length; i++) sum += x[i]! * x[i]!
  return sum
}

/**
 * Minimises a sum of squares in place by the Levenberg-Marquardt method, and returns the sum.
 * Source: Madsen, Nielsen and Tingleff, Methods for Non-Linear Least Squares Problems (2004).
 */
export function minimiseLeastSquares(
  residuals: Residuals,
  parameters: Float64Array,
  count: number,
  steps: number
): number {
  const n = parameters.length
  const currentResiduals = new Float64Array(count)
  const trialResiduals = new Float64Array(count)
  const jacobian = new Float64Array(count * n)
  const normal = new Float64Array(n * n)
  const damped = new Float64Array(n * n)
  const gradient = new Float64Array(n)
  const step = new Float64Array(n)
  const trial = new Float64Array(n)
  residuals(parameters, currentResiduals)
  let best = sumOfSquares(currentResiduals)
  let damping = 1e-3
  for (let iteration = 0; iteration < steps; iteration++) {
    for (let j = 0; j < n; j++) {
      const original = parameters[j]!
      const h = 1e-7 * Math.max(1e-2, Math.abs(original))
      parameters[j] = original + h
      residuals(parameters, trialResiduals)
      parameters[j] = original
      for (let i = 0; i < count; i++) jacobian[i * n + j] = (trialResiduals[i]! - currentResiduals[i]!) / h
    }
    normal.fill(0)
    gradient.fill(0)
    for (let i = 0; i < count; i++) {
      for (let a = 0; a < n; a++) {
        const value = jacobian[i * n + a]!
        gradient[a] = gradient[a]! - value * currentResiduals[i]!
        for (let b = 0; b < n; b++) normal[a * n + b] = normal[a * n + b]! + value * jacobian[i * n + b]!
      }
    }
    let improved = false
    for (let attempt = 0; attempt < 12 && !improved; attempt++) {
      damped.set(normal)
      for (let a = 0; a < n; a++) damped[a * n + a] = normal[a * n + a]! * (1 + damping) + 1e-15
      step.set(gradient)
      if (solve(damped, step, n)) {
        for (let a = 0; a < n; a++) trial[a] = parameters[a]! + step[a]!
        residuals(trial, trialResiduals)
        const sum = sumOfSquares(trialResiduals)
        if (sum < best) {
          const gained = (best - sum) / best
          parameters.set(trial)
          currentResiduals.set(trialResiduals)
          best = sum
          damping = Math.max(1e-12, damping / 5)
          improved = gained > 1e-12
          if (!improved) return best
          continue
        }
      }
      damping *= 4
    }
    if (!improved) break
  }
  return best
}
