/** A call that the bot would make. */
export interface Wish {
  readonly tool: string
  /** What it is worth to the bot, against others: the one that is worth most for its price is made first. */
  readonly worth: number
}

export interface Plan<W extends Wish> {
  readonly calls: ReadonlyArray<W>
  readonly credits: number
  /** What was left out, and why. */
  readonly left: ReadonlyArray<{ readonly wish: W; readonly why: "too dear" | "not offered" }>
}

/** The wishes that a budget covers, by what they are worth for what the catalogue says that they cost. */
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
