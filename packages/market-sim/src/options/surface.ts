/**
 * Implied volatility surfaces without static arbitrage.
 *
 * Each expiry's smile is a slice of the SSVI family of Gatheral & Jacquier ("Arbitrage-free SVI volatility
 * surfaces", Quantitative Finance 14, 2014, section 4) over k = ln(K / F):
 *
 *     w(k) = theta / 2 (1 + rho phi k + sqrt((phi k + rho)^2 + 1 - rho^2)),   phi = eta / sqrt(theta (1 + theta))
 *
 * with theta the at-the-money total variance of the expiry. Their theorems 4.1 and 4.2 (remark 4.4 for this
 * power law) say that there is neither calendar nor butterfly arbitrage while theta does not fall with the
 * expiry and `eta (1 + |rho|) <= 2`: both hold by construction, whatever the parameters below are.
 */
import type { Svi } from "@tapeline/quant/options"

/** A scheduled event that adds variance to every expiry after it: an earnings announcement. */
export interface SurfaceEvent {
  readonly time: number
  /** Variance of the log return over the event. */
  readonly variance: number
}

/** A surface at an instant. Variances are a year's (0.25 is 50 % volatility). */
export interface Surface {
  readonly time: number
  /** Expected variance now, and where it reverts to. */
  readonly spotVariance: number
  readonly longVariance: number
  /** How fast it reverts, per year. */
  readonly speed: number
  /** Correlation that tilts the smile, and how steep it is. */
  readonly rho: number
  readonly eta: number
  readonly events: ReadonlyArray<SurfaceEvent>
}

export const yearMs = 365 * 86_400_000

/** Steepest smile that any tilt within `mostTilt` admits. */
const mostTilt = 0.6
const mostSteepness = 1.2

const within = (x: number, low: number, high: number): number => Math.min(high, Math.max(low, x))

/** Brings tilt and steepness into the region without arbitrage. */
export const makeSurface = (surface: Surface): Surface => ({
  ...surface,
  rho: within(surface.rho, -mostTilt, mostTilt),
  eta: within(surface.eta, 0.5, mostSteepness)
})

/**
 * At-the-money total variance of an expiry: the mean variance until then of a mean-reverting process
 * (Heston, 1993), `long T + (spot - long) (1 - exp(-speed T)) / speed`, and the events on the way. It
 * rises with the expiry because both variances are above 0.
 */
export const atmVariance = (surface: Surface, expiryAt: number): number => {
  const years = (expiryAt - surface.time) / yearMs
  const { spotVariance, longVariance, speed } = surface
  let sum = longVariance * years + (spotVariance - longVariance) * -Math.expm1(-speed * years) / speed
  for (const event of surface.events) if (event.time < expiryAt) sum += event.variance
  return sum
}

/** The slice of an expiry in Gatheral's raw parameters. */
export const slice = (surface: Surface, expiryAt: number): Svi => {
  const theta = atmVariance(surface, expiryAt)
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

/** Implied volatility of a slice at log-moneyness `k` = ln(K / F), 1 is 100 % a year. */
export const volatilityAt = ({ a, b, rho, m, sigma }: Svi, k: number, years: number): number =>
  Math.sqrt((a + b * (rho * (k - m) + Math.hypot(k - m, sigma))) / years)
