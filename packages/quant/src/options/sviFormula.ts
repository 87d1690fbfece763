/**
 * The parameters of Gatheral's raw SVI: `w(k) = a + b (rho (k - m) + sqrt((k - m)^2 + sigma^2))`, with k = ln(K / F).
 */
export interface Svi {
  readonly a: number
  readonly b: number
  readonly rho: number
  readonly m: number
  readonly sigma: number
}

/** Returns the total implied variance of a slice whose parameters are within their bounds. */
export const totalVariance = ({ a, b, rho, m, sigma }: Svi, k: number): number =>
  a + b * (rho * (k - m) + Math.sqrt((k - m) * (k - m) + sigma * sigma))

/** Returns Durrleman's g of a valid slice at a `k` where the variance is above 0. */
export function durrleman(parameters: Svi, k: number): number {
  const { b, rho, m, sigma } = parameters
  const w = totalVariance(parameters, k)
  const root = Math.sqrt((k - m) * (k - m) + sigma * sigma)
  const slope = b * (rho + (k - m) / root)
  const curvature = (b * sigma * sigma) / (root * root * root)
  return (1 - (k * slope) / (2 * w)) ** 2 - ((slope * slope) / 4) * (1 / w + 0.25) + curvature / 2
}
