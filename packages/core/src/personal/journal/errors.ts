import { Schema } from "effect"
import type { ActorEnded } from "../../engine/access/ActorEnded.ts"
import type { RecordChanged } from "../../engine/access/RecordChanged.ts"
import type { Message } from "../../engine/messages/dictionary.ts"
import { type ConvertibleToToolFailure, ToolFailure } from "../../engine/tool/failure.ts"
import { journalLimits } from "./records.ts"

/** The engine was built without a journal store. */
export class NoJournalStore extends Schema.TaggedError<NoJournalStore>()("NoJournalStore", {})
  implements ConvertibleToToolFailure
{
  override get message(): string {
    return "this engine has no JournalStore: provide one, such as PgStores of @tapeline/postgres"
  }

  get toolFailure(): ToolFailure {
    return new ToolFailure({ code: "source_unavailable", callerMessage: { key: "journal_none" }, retryable: false })
  }
}

/** The account's journal has no open position or trade with the given id. */
export class NotInJournal extends Schema.TaggedError<NotInJournal>()("NotInJournal", {
  kind: Schema.Literals(["position", "trade"]),
  id: Schema.Int
}) implements ConvertibleToToolFailure {
  override get message(): string {
    return `the journal has no ${this.kind} ${this.id}`
  }

  get toolFailure(): ToolFailure {
    const { id, kind } = this
    const key = kind === "position" ? "journal_no_position" as const : "journal_no_trade" as const
    return new ToolFailure({ code: "not_found", callerMessage: { key, params: { id } }, retryable: false })
  }
}

/** The account's journal contains the maximum number of records of one kind. */
export class JournalFull extends Schema.TaggedError<JournalFull>()("JournalFull", {
  kind: Schema.Literals(["positions", "trades", "notes", "watchlist"])
}) implements ConvertibleToToolFailure {
  override get message(): string {
    return `the journal contains ${journalLimits[this.kind]} ${this.kind}, which is the maximum`
  }

  get toolFailure(): ToolFailure {
    const params = { limit: journalLimits[this.kind] }
    const messages: Readonly<Record<typeof this.kind, Message>> = {
      positions: { key: "journal_positions_full", params },
      trades: { key: "journal_trades_full", params },
      notes: { key: "journal_notes_full", params },
      watchlist: { key: "journal_watchlist_full", params }
    }
    return new ToolFailure({ code: "conflict", callerMessage: messages[this.kind], retryable: false })
  }
}

/** The errors that reject a change of a journal. A rejected change writes nothing. */
export type JournalChangeError = ActorEnded | RecordChanged | NotInJournal | JournalFull
