import { ask, tool } from "./calls.ts"
import { type House, longPlan } from "./house.ts"

/** An account in which there is something to see on every page. */
export interface Furnished {
  readonly account: number
  readonly conversation: number
  readonly task: number
  /** What a task is called that does not come true. */
  readonly waiting: string
  /** What its key is called. */
  readonly key: string
}

/** A position, a watch that never fires, coins to look at, and a conversation. */
export const furnish = async (house: House): Promise<Furnished> => {
  // The longest names of an account and a plan, without a space, must not make the header wider than a phone.
  const account = await house.account(longPlan, `Kim ${"W".repeat(96)}`)
  const key = await house.key(account)
  await tool(house, key, "set_position", {
    coin: "BTC",
    side: "long",
    size_usd: 1000,
    entry: 60_000,
    stop: 57_000,
    leverage: 3
  })
  // Nothing may ring during the visit of a page: the price of BTC never falls below 1.
  const spec = { metric: "price", symbol: "BTC", op: "lt", value: 1 }
  const waiting = "BTC < 1"
  const { data } = await tool(house, key, "create_task", { title: waiting, kind: "watch", spec })
  await tool(house, key, "update_watchlist", { add: ["ETH", "SOL"] })
  const answer = await ask(house, key, "/agent/messages", { message: "BTC?" })
  // What the tool answers, as the reference of the tools has it.
  const { task } = data as { readonly task: { readonly id: number } }
  return { account, conversation: Number(answer["conversation_id"]), task: task.id, waiting, key: "bot" }
}
