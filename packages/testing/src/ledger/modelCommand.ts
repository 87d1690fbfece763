import type { KeyStore, LedgerStore } from "@tapeline/core/engine"
import { Effect } from "effect"
import type fc from "fast-check"
import type { Auditor } from "./auditor.ts"
import type { LedgerRows } from "./rows.ts"

/** The ledger store of a model run, with its key store and with access to its stored rows. */
export interface LedgerUnderTest {
  readonly store: LedgerStore["Service"]
  readonly keys: KeyStore["Service"]
  readonly readRows: (accounts: ReadonlyArray<number>) => Effect.Effect<LedgerRows, unknown>
}

export type Command = fc.AsyncCommand<Auditor, LedgerUnderTest>

/** The number of executed commands in all model runs of the process. */
export const counters = { commands: 0 }

/** Creates a command that acts on the ledger, checks the result, and audits all stored rows. */
export const makeCommand = (
  name: string,
  execute: (auditor: Auditor, ledger: LedgerUnderTest) => Effect.Effect<unknown, unknown>,
  canRun: (auditor: Readonly<Auditor>) => boolean = () => true
): Command => ({
  check: (auditor) => canRun(auditor),
  run: (auditor, ledger) => {
    counters.commands++
    return Effect.runPromise(Effect.asVoid(Effect.andThen(
      execute(auditor, ledger),
      Effect.map(ledger.readRows(auditor.accounts), (rows) => auditor.audit(rows))
    )))
  },
  toString: () => name
})

export const atModelTime = (auditor: Auditor) => ({ at: auditor.now })
