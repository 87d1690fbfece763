/**
 * Computes implied volatility surfaces without static arbitrage. The smile of each expiry is a curve of the SSVI
 * family.
 *
 * The total variance of an option is `w(k) = theta / 2 (1 + rho phi k + sqrt((phi k + rho)^2 + 1 - rho^2))`, with `phi
 * = eta / sqrt(theta (1 + theta))`.
 *
 * `theta` is the at-the-money total variance of the expiry, and `k` is ln(K / F). There is no calendar or butterfly
 * arbitrage if theta does not fall with the expiry and `eta (1 + |rho|) <= 2`. Source: Gatheral & Jacquier,
 * "Arbitrage-free SVI volatility surfaces", Quantitative Finance 14, 2014, theorems 4.1 and 4.2, and remark 4.4.
 */
import type { Svi } from "@tapeline/quant/options"

/** A scheduled event that adds variance to every later expiry, such as an earnings announcement. */
export interface SurfaceEvent {
  readonly time: number
  /** The variance of the log return that the event causes. */
  readonly variance: number
}

/** A volatility surface at a time, with annualised variances (0.25 is 50 % volatility). */
export interface Surface {
  readonly time: number
  /** The current variance, which reverts to `longVariance` at `speed` per year. */
  readonly spotVariance: number
  readonly longVariance: number
  readonly speed: number
  /** The tilt of the volatility smile, from -1 to 1. */
  readonly rho: number
  readonly eta: number
  readonly events: ReadonlyArray<SurfaceEvent>
}

export const yearMs = 365 * 86_400_000

/** The maximum tilt of a smile that is free of arbitrage, if the steepness is at most `maxSteepness`. */
const maxTilt = 0.6
const maxSteepness = 1.2

const clamp = (x: number, low: number, high: number): number => Math.min(high, Math.max(low, x))

/** Limits the tilt and the steepness of a surface to values without arbitrage. */
export const makeSurface = (surface: Surface): Surface => ({
  ...surface,
  rho: clamp(surface.rho, -maxTilt, maxTilt),
  eta: clamp(surface.eta, 0.5, maxSteepness)
})

/**
 * Returns the at-the-money total variance of an expiry, including the variance of events before the expiry. The
 * variance reverts to a mean (Heston, 1993), so its expected sum over T years is `long T + (spot - long) (1 -
 * exp(-speed T)) / speed`.
 */
export const getAtmVariance = (surface: Surface, expiryAt: number): number => {
  const years = (expiryAt - surface.time) / yearMs
  const { spotVariance, longVariance, speed } = surface
  let sum = longVariance * years + (spotVariance - longVariance) * -Math.expm1(-speed * years) / speed
  for (const event of surface.events) if (event.time < expiryAt) sum += event.variance
  return sum
}

/** Returns the smile of an expiry in Gatheral's raw SVI parameters. */
export const makeSmile = (surface: Surface, expiryAt: number): Svi => {
  const theta = getAtmVariance(surface, expiryAt)
  const { rho, eta } = surface
  const phi = eta / Math.sqrt(theta * (1 + theta))
  return {
    a: theta / 2 * (1 - rho * rho),
    b: theta * phi / 2,
    rho,
    m: -rho / phi,
    sigma: Math.sqrt(1 - rho * rho) / phi
  }
}

/** Returns the annualised implied volatility (1 is 100 %) of a smile at log-moneyness `k` = ln(K / F). */
export const getVolatility = ({ a, b, rho, m, sigma }: Svi, k: number, years: number): number =>
  Math.sqrt((a + b * (rho * (k - m) + Math.hypot(k - m, sigma))) / years)
