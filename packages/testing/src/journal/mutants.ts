import { decimal, type JournalChangeResult, JournalStore, toNumber } from "@tapeline/core/personal"
import { Effect } from "effect"

type Store = typeof JournalStore["Service"]

const roundToCents = (result: JournalChangeResult): JournalChangeResult =>
  result._tag === "Closed" && result.trade.pnlUsd !== null
    ? {
      ...result,
      trade: { ...result.trade, pnlUsd: decimal(Math.round(toNumber(result.trade.pnlUsd) * 100) / 100) }
    }
    : result

let writeCount = 0

/** Journal stores that each break one rule of the contract. The name of each mutant describes the broken rule. */
const mutants = {
  "writes twice for one call": (store) => ({
    write: (account, call, change) => store.write(account, `${call}/${++writeCount}`, change)
  }),
  "replays another account's call": (store) => ({
    write: (account, call, change) => store.write(account - account % 2, call, change)
  }),
  "closes positions of other accounts": (store) => ({
    write: (account, call, change) =>
      change._tag === "Close"
        ? Effect.catchTag(store.write(account, call, change), "NotInJournal", () =>
          store.write(account ^ 1, call, change))
        : store.write(account, call, change)
  }),
  "shows positions of other accounts": (store) => ({
    holdings: (account) =>
      Effect.map(Effect.all([store.holdings(account), store.holdings(account ^ 1)]), ([accountRow, other]) => ({
        ...accountRow,
        positions: [...accountRow.positions, ...other.positions]
      }))
  }),
  "rounds numbers to cents": (store) => ({
    write: (account, call, change) => Effect.map(store.write(account, call, change), roundToCents)
  }),
  "closes whole positions": (store) => ({
    write: (account, call, change) =>
      store.write(account, call, change._tag === "Close" ? { ...change, fraction: decimal(1) } : change)
  }),
  "forgets fees": (store) => ({
    write: (account, call, change) =>
      store.write(account, call, change._tag === "Close" ? { ...change, feesUsd: decimal(0) } : change)
  }),
  "omits trades that close a part of a position": (store) => ({
    listClosedTrades: (account, withinMs) =>
      Effect.map(store.listClosedTrades(account, withinMs), (trades) => trades.filter(({ closes }) => closes))
  }),
  "counts only the returned trades": (store) => ({
    history: (account, query) =>
      Effect.map(store.history(account, query), (history) => ({ ...history, total: history.trades.length }))
  }),
  "omits notes of trades": (store) => ({
    history: (account, query) =>
      Effect.map(store.history(account, query), (history) => ({
        ...history,
        notes: history.notes.filter(({ tradeId }) => tradeId === null)
      }))
  })
} satisfies Record<string, (store: Store) => Partial<Store>>

export type JournalMutant = keyof typeof mutants

// The type cast is needed, because `Object.keys` returns strings and not the names of `mutants`.
export const journalMutants = Object.keys(mutants) as ReadonlyArray<JournalMutant>

export const mutantJournalStore = (store: Store, mutant: JournalMutant): Store => ({
  ...store,
  ...mutants[mutant](store)
})
