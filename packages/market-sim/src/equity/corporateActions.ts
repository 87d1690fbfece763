/** The splits and cash dividends of a stock, which reduce the traded price below the total return. */
import { dayNumber, type Dividend, type EquityCountry, nextSession, type Split } from "@tapeline/core/market"
import { deriveKey, drawNormal, drawUniform, type Key } from "../kernel/random.ts"

/** A split or dividend that takes effect at the opening of a session. */
export interface CorporateAction {
  readonly time: number
  /** The number of new shares per old share, which is 1 for a dividend. */
  readonly ratio: number
  /** The fraction of the price that is paid as a dividend, which is 0 for a split. */
  readonly payoutShare: number
}

const firstYear = 2020
const lastYear = 2060

/** The annual dividend yield by sector, which is 1 % for other sectors. */
const dividendYields: Readonly<Record<string, number>> = {
  technology: 0.006,
  semiconductors: 0.007,
  communication: 0.008,
  internet: 0.003,
  games: 0.002,
  entertainment: 0.003,
  batteries: 0.003,
  energy: 0.034,
  utilities: 0.028,
  telecom: 0.045,
  financials: 0.024,
  "consumer staples": 0.024,
  automobiles: 0.03
}

/** The probability of a split in a year. */
const splitChance = 0.035
const splitRatios = [2, 2, 3, 4, 5, 10]

const quarters = [0, 1, 2, 3]

const getSessionOpening = (country: EquityCountry, day: number): number => nextSession(country, day - 1).openAt

/** Returns all splits and dividends of a stock from 2020 to 2060, oldest first. */
export const makeActions = (country: EquityCountry, sector: string, key: Key): ReadonlyArray<CorporateAction> => {
  const actions: Array<CorporateAction> = []
  const paysDividends = drawUniform(key, 0) < 0.85
  const annualYield = (dividendYields[sector] ?? 0.01) * Math.exp(0.4 * drawNormal(key, 1))
  const offset = Math.floor(20 * drawUniform(key, 2))
  for (let year = firstYear; year <= lastYear; year++) {
    const draws = deriveKey(key, year, 0)
    for (const quarter of paysDividends ? quarters : []) {
      // US ex-dates are in the middle month of a quarter, and Korean ex-dates are at the end of a quarter.
      const day = country === "US"
        ? dayNumber(year, 3 * quarter + 2, 3 + offset)
        : dayNumber(year, 3 * quarter + 3, 27)
      actions.push({ time: getSessionOpening(country, day), ratio: 1, payoutShare: annualYield / 4 })
    }
    if (drawUniform(draws, 0) < splitChance) {
      const day = dayNumber(
        year,
        1 + Math.floor(12 * drawUniform(draws, 1)),
        1 + Math.floor(28 * drawUniform(draws, 2))
      )
      actions.push({
        time: getSessionOpening(country, day),
        ratio: splitRatios[Math.floor(splitRatios.length * drawUniform(draws, 3))]!,
        payoutShare: 0
      })
    }
  }
  return actions.sort((a, b) => a.time - b.time || a.ratio - b.ratio)
}

/**
 * The cumulative effect of splits and dividends. `dividendFactor` is the fraction of a price that remains after
 * dividends. `shares` is the number of shares that replaced one original share.
 */
export interface Factors {
  readonly dividendFactor: number
  readonly shares: number
}

/** The splits and dividends of a stock, with their cumulative effect after each action. */
export interface ActionHistory {
  readonly actions: ReadonlyArray<CorporateAction>
  readonly factorsAfter: ReadonlyArray<Factors>
}

export const makeActionHistory = (actions: ReadonlyArray<CorporateAction>): ActionHistory => {
  let factors: Factors = { dividendFactor: 1, shares: 1 }
  const factorsAfter = actions.map((action) => {
    factors = {
      dividendFactor: factors.dividendFactor * (1 - action.payoutShare),
      shares: factors.shares * action.ratio
    }
    return factors
  })
  return { actions, factorsAfter }
}

const unchangedFactors: Factors = { dividendFactor: 1, shares: 1 }

export const getFactors = ({ actions, factorsAfter }: ActionHistory, time: number): Factors => {
  let low = 0
  let high = actions.length
  while (low < high) {
    const middle = (low + high) >> 1
    if (actions[middle]!.time <= time) low = middle + 1
    else high = middle
  }
  return factorsAfter[low - 1] ?? unchangedFactors
}

/** Returns the splits and dividends in `[from, to)`, where `priceBefore` returns the price just before an action. */
export const getPublishedActions = (
  actions: ReadonlyArray<CorporateAction>,
  from: number,
  to: number,
  priceBefore: (time: number) => number,
  decimals: number
): { readonly splits: ReadonlyArray<Split>; readonly dividends: ReadonlyArray<Dividend> } => {
  const actionsInInterval = actions.filter(({ time }) => time >= from && time < to)
  const unit = 10 ** decimals
  return {
    splits: actionsInInterval.filter(({ ratio }) => ratio > 1).map(({ time, ratio }) => ({ time, ratio })),
    dividends: actionsInInterval
      .filter(({ payoutShare }) => payoutShare > 0)
      .map(({ time, payoutShare }) => ({ time, amount: Math.round(payoutShare * priceBefore(time) * unit) / unit }))
      .filter(({ amount }) => amount > 0)
  }
}
