/** A call that the bot would like to make. */
export interface Wish {
  readonly tool: string
  /** The value of the call for the bot, which makes the calls with the highest value per credit first. */
  readonly worth: number
}

export interface Plan<W extends Wish> {
  readonly calls: ReadonlyArray<W>
  readonly credits: number
  /** The calls that are not in the plan, with a reason. */
  readonly skipped: ReadonlyArray<{ readonly wish: W; readonly reason: "too dear" | "not offered" }>
}

/** Chooses calls within a budget, by value per credit. */
export const plan = <W extends Wish>(
  wishes: ReadonlyArray<W>,
  priceOf: ReadonlyMap<string, number>,
  budget: number
): Plan<W> => {
  const calls: Array<W> = []
  const skipped: Array<Plan<W>["skipped"][number]> = []
  let credits = 0
  const perCredit = ({ tool, worth }: Wish) => worth / (priceOf.get(tool) ?? Infinity)
  for (const wish of [...wishes].sort((a, b) => perCredit(b) - perCredit(a))) {
    const price = priceOf.get(wish.tool)
    if (price === undefined) skipped.push({ wish, reason: "not offered" })
    else if (credits + price > budget) skipped.push({ wish, reason: "too dear" })
    else {
      calls.push(wish)
      credits += price
    }
  }
  return { calls, credits, skipped }
}
