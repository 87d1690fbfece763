import { assert, describe, it } from "@effect/vitest"
import { layerEngine, LedgerStore, pickTools, Toolbox, ToolCaller, tools } from "@tapeline/core"
import { decimal, JournalStore, toNumber } from "@tapeline/core/personal"
import { createKeyedAccount } from "@tapeline/testing"
import { Effect, Layer } from "effect"
import { execFile } from "node:child_process"
import { fileURLToPath } from "node:url"
import { makeMigratedClient, makeMigratedDatabase, withStores } from "./support/databases.ts"

const victim = fileURLToPath(new URL("./support/killedJournalCaller.ts", import.meta.url))

const signalOf = (args: ReadonlyArray<string>) =>
  Effect.callback<string | null | undefined>((resume) => {
    execFile(process.execPath, [victim, ...args], (error) => resume(Effect.succeed(error?.signal)))
  })

const closing = Effect.fnUntraced(function*(url: string) {
  const { principal } = yield* createKeyedAccount()
  const [journal, ledger, caller] = yield* Effect.all([JournalStore, LedgerStore, ToolCaller])
  const fields = { sizeUsd: decimal(1_000), entry: decimal(100) }
  const open = yield* journal.write(principal.account, "1", { _tag: "Open", coin: "BTC", side: "long", fields })
  assert(open._tag === "Position")
  const { id } = open.position
  const query = { withinMs: 86_400_000, coin: null, limit: 10 }
  const parts = Effect.map(
    journal.history(principal.account, query),
    ({ trades }) => trades.map(({ share }) => toNumber(share))
  )
  assert.strictEqual(yield* signalOf([url, JSON.stringify(principal), String(id)]), "SIGKILL")
  assert.deepStrictEqual(yield* parts, [0.5], "the change was written")
  while ((yield* ledger.expire(100, { at: (yield* ledger.time) + 3_600_000 })) > 0);
  const args = { id, exit: 110, fraction: 0.5 }
  const repeatedCall = { principal, name: "close_position", arguments: args, idempotencyKey: "k" }
  const answer = yield* caller.call(repeatedCall)
  assert.isNull(answer.failure)
  assert.deepStrictEqual((yield* caller.call(repeatedCall)).envelope, answer.envelope)
  assert.deepStrictEqual(yield* parts, [0.5])
})

describe("a tool of the journal", () => {
  it.live(
    "writes once if its process is killed before the settlement and the call is repeated",
    () =>
      Effect.gen(function*() {
        const { url } = yield* makeMigratedDatabase
        const engine = layerEngine({ toolbox: Toolbox.layer(pickTools(tools, ["close_position"])) }).pipe(
          Layer.provideMerge(withStores(makeMigratedClient(url)))
        )
        yield* Effect.provide(closing(url), engine)
      }),
    60_000
  )
})
