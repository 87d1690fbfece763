import { Effect, Stream } from "effect"
import type { Ledger } from "../../engine/credits/Ledger.ts"
import type { StoreUnavailable } from "../../engine/store/errors.ts"
import type { ConversationStore } from "../ConversationStore.ts"
import type { GenerationEvent, LoggedEvent } from "../event.ts"
import type { Generation } from "../generation.ts"
import type { GenerationStore } from "../GenerationStore.ts"
import { toShownProposal } from "../machine/proposals.ts"
import { applyEvent, noOutput, type ShownOutput } from "../machine/shownOutput.ts"
import { parseProposalId } from "../proposal.ts"
import type { ProposalStore } from "../ProposalStore.ts"
import type { Answer } from "./Analyst.ts"

interface FoldedLog {
  readonly shownOutput: ShownOutput
  readonly done: Extract<GenerationEvent, { readonly kind: "done" }>["data"] | null
  readonly suggestions: ReadonlyArray<string>
}

const emptyLog: FoldedLog = { shownOutput: noOutput, done: null, suggestions: [] }

const foldEvent = (log: FoldedLog, { data, kind }: LoggedEvent): FoldedLog => {
  const event = { kind, data: JSON.parse(data) } as GenerationEvent // written from a `GenerationEvent`
  if (event.kind === "done") return { ...log, done: event.data }
  if (event.kind === "suggest") return { ...log, suggestions: event.data.questions }
  return { ...log, shownOutput: applyEvent(log.shownOutput, event) }
}

const toChartFields = (charts: ReadonlyArray<string>): Pick<Answer, "charts" | "url"> =>
  charts.length === 0 ? {} : { url: charts.at(-1)!, charts }

interface CollectServices {
  readonly generations: GenerationStore["Service"]
  readonly conversations: ConversationStore["Service"]
  readonly ledger: Ledger["Service"]
  readonly proposals: ProposalStore["Service"]
}

/** Builds an answer from its message and its generation row, after the log was deleted. */
const readStoredAnswer = Effect.fnUntraced(function*(
  { conversations, generations, ledger, proposals }: CollectServices,
  { account, conversation, id, brief: { lang }, reservation, startedAt }: Generation
): Effect.fn.Return<Answer, StoreUnavailable> {
  const row = yield* generations.find(id)
  const answer = row?.answer ?? null
  const memory = answer === null
    ? null
    : yield* conversations.readHistory(account, conversation, { upTo: answer, limit: 1 })
  const message = memory?.messages.find(({ id }) => id === answer)
  const stored = answer === null ? [] : yield* proposals.list(account, conversation, [answer])
  const ownProposals = stored.filter((proposal) => parseProposalId(proposal.id)?.generation === id)
  // Releasing an ended reservation changes nothing, and returns how the reservation ended.
  const ending = yield* ledger.release(reservation)
  const outcome = row?.outcome ?? "failed"
  return {
    answer: message?.content ?? "",
    conversation_id: conversation,
    lang,
    took_ms: Math.max(0, (row?.endedAt ?? startedAt) - startedAt),
    outcome,
    credits_used: ending._tag === "AlreadyEnded" && ending.outcome === "settled" ? reservation.credits : 0,
    credits_left: ending.creditsLeft,
    ...toChartFields(message?.charts ?? []),
    suggestions: message?.suggestions ?? [],
    ...(message?.disclaimer === undefined ? {} : { disclaimer: message.disclaimer }),
    ...(message?.figures === undefined ? {} : { figures: message.figures }),
    ...(message?.unmatched === undefined ? {} : { unmatched: message.unmatched }),
    ...(ownProposals.length === 0
      ? {}
      : { proposals: ownProposals.map((proposal) => toShownProposal(id, proposal)) })
  }
})

/** Returns the complete answer of a generation from its log, or from its message if the log was deleted. */
export const collectAnswer = Effect.fnUntraced(function*(
  services: CollectServices,
  generation: Generation,
  events: Stream.Stream<LoggedEvent, StoreUnavailable>
): Effect.fn.Return<Answer, StoreUnavailable> {
  const { done, shownOutput, suggestions } = yield* Stream.runFold(events, () => emptyLog, foldEvent)
  if (done === null) return yield* readStoredAnswer(services, generation)
  const { url: _, ...rest } = done
  return { answer: shownOutput.text, ...rest, ...toChartFields(shownOutput.charts), suggestions }
})

/** Converts a stored answer to a minimal list of events, for answers whose log was deleted. */
export const replayAnswer = (
  { brief: { mode } }: Generation,
  { answer, charts: _, suggestions, ...done }: Answer
): ReadonlyArray<LoggedEvent> => {
  const { conversation_id, lang } = done
  const events: ReadonlyArray<GenerationEvent> = [
    { kind: "conversation", data: { conversation_id, lang, mode } },
    ...(answer === "" ? [] : [{ kind: "delta", data: { offset: 0, text: answer } } as const]),
    { kind: "done", data: done },
    ...(suggestions.length === 0 ? [] : [{ kind: "suggest", data: { questions: suggestions } } as const])
  ]
  return events.map(({ data, kind }, i) => ({ n: i + 1, kind, data: JSON.stringify(data) }))
}
