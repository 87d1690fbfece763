import { Effect } from "effect"
import { handlerOf } from "../../engine/tool/implement.ts"
import { JournalStore } from "../../personal/journal/JournalStore.ts"
import { getRiskProfile } from "./getRiskProfile.ts"
import { toProfileRow } from "./rows.ts"

export const handler = handlerOf(
  getRiskProfile,
  Effect.map(
    Effect.service(JournalStore),
    (journal) => (_, { principal }) =>
      Effect.map(journal.holdings(principal.account), ({ profile }) => toProfileRow(profile))
  )
)
