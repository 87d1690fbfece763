import { callTool, postJson } from "./callTool.ts"
import { longPlan, type TestEnvironment } from "./environment.ts"

export interface PopulatedAccount {
  readonly account: number
  readonly conversation: number
  readonly task: number
  readonly pendingTaskTitle: string
  readonly key: string
}

/**
 * Creates the contents of a test account: a position, a watch that never fires, coins on the watchlist, and a
 * conversation.
 */
export const populateAccount = async (environment: TestEnvironment): Promise<PopulatedAccount> => {
  // The account has the longest possible names without a space, because the header must still be no wider than a phone.
  const account = await environment.createAccount(longPlan, `Kim ${"W".repeat(96)}`)
  const key = await environment.issueKey(account)
  await callTool(environment, key, "set_position", {
    coin: "BTC",
    side: "long",
    size_usd: 1000,
    entry: 60_000,
    stop: 57_000,
    leverage: 3
  })
  // The watch never fires, because the price of BTC never falls below 1, so no notification disturbs the tests of other
  // pages.
  const spec = { metric: "price", symbol: "BTC", op: "lt", value: 1 }
  const pendingTaskTitle = "BTC < 1"
  const { data } = await callTool(environment, key, "create_task", { title: pendingTaskTitle, kind: "watch", spec })
  await callTool(environment, key, "update_watchlist", { add: ["ETH", "SOL"] })
  const answer = await postJson(environment, key, "/agent/messages", { message: "BTC?" })
  // The cast is safe because the API reference documents the format of the tool's result.
  const { task } = data as { readonly task: { readonly id: number } }
  return { account, conversation: Number(answer["conversation_id"]), task: task.id, pendingTaskTitle, key: "bot" }
}
