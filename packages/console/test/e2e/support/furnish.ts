import { ask, tool } from "./calls.ts"
import type { House } from "./house.ts"

/** An account in which there is something to see on every page. */
export interface Furnished {
  readonly account: number
  readonly conversation: number
}

/** The title of the task that rings. */
export const rings = "BTC > 1"

/** A position, a watch that fires at the first minute that closes, coins to look at, and a conversation. */
export const furnish = async (house: House): Promise<Furnished> => {
  const account = await house.account()
  const key = await house.key(account)
  await tool(house, key, "set_position", {
    coin: "BTC",
    side: "long",
    size_usd: 1000,
    entry: 60_000,
    stop: 57_000,
    leverage: 3
  })
  const spec = { metric: "price", symbol: "BTC", op: "gt", value: 1 }
  await tool(house, key, "create_task", { title: rings, kind: "watch", spec })
  await tool(house, key, "update_watchlist", { add: ["ETH", "SOL"] })
  const answer = await ask(house, key, "/agent/messages", { message: "BTC?" })
  return { account, conversation: Number(answer["conversation_id"]) }
}
