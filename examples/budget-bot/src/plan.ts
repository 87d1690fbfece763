/** A call that the bot would like to make. */
export interface Wish {
  readonly tool: string
  /** Value of the call for the bot. Calls with the highest value per credit are made first. */
  readonly worth: number
}

export interface Plan<W extends Wish> {
  readonly calls: ReadonlyArray<W>
  readonly credits: number
  /** Calls that are not in the plan, and the reason. */
  readonly left: ReadonlyArray<{ readonly wish: W; readonly why: "too dear" | "not offered" }>
}

/** Chooses calls within a budget, by value per credit. `priceOf` is the price of each tool in the catalogue. */
export const plan = <W extends Wish>(
  wishes: ReadonlyArray<W>,
  priceOf: ReadonlyMap<string, number>,
  budget: number
): Plan<W> => {
  const calls: Array<W> = []
  const left: Array<Plan<W>["left"][number]> = []
  let credits = 0
  const perCredit = ({ tool, worth }: Wish) => worth / (priceOf.get(tool) ?? Infinity)
  for (const wish of [...wishes].sort((a, b) => perCredit(b) - perCredit(a))) {
    const price = priceOf.get(wish.tool)
    if (price === undefined) left.push({ wish, why: "not offered" })
    else if (credits + price > budget) left.push({ wish, why: "too dear" })
    else {
      calls.push(wish)
      credits += price
    }
  }
  return { calls, credits, left }
}
