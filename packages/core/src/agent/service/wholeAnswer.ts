import { Effect, Stream } from "effect"
import type { Ledger } from "../../engine/credits/Ledger.ts"
import type { StoreUnavailable } from "../../engine/store/StoreUnavailable.ts"
import type { ConversationStore } from "../ConversationStore.ts"
import type { GenerationEvent, LoggedEvent } from "../event.ts"
import type { Generation } from "../generation.ts"
import type { GenerationStore } from "../GenerationStore.ts"
import { nothingShown, show, type Shown } from "../machine/shown.ts"
import type { Answer } from "./Analyst.ts"

interface Read {
  readonly shown: Shown
  readonly done: Extract<GenerationEvent, { readonly kind: "done" }>["data"] | null
  readonly suggestions: ReadonlyArray<string>
}

const nothingRead: Read = { shown: nothingShown, done: null, suggestions: [] }

const read = (before: Read, { data, kind }: LoggedEvent): Read => {
  const event = { kind, data: JSON.parse(data) } as GenerationEvent // as it was appended
  if (event.kind === "done") return { ...before, done: event.data }
  if (event.kind === "suggest") return { ...before, suggestions: event.data.questions }
  return { ...before, shown: show(before.shown, event) }
}

const chartsOf = (charts: ReadonlyArray<string>): Pick<Answer, "charts" | "url"> =>
  charts.length === 0 ? {} : { url: charts.at(-1)!, charts }

/** Builds an answer from its message and its row, after its log was deleted. */
const fromMessage = Effect.fnUntraced(function*(
  generations: GenerationStore["Service"],
  conversations: ConversationStore["Service"],
  ledger: Ledger["Service"],
  { account, conversation, id, brief: { lang }, reservation, startedAt }: Generation
): Effect.fn.Return<Answer, StoreUnavailable> {
  const row = yield* generations.find(id)
  const answer = row?.answer ?? null
  const memory = answer === null
    ? null
    : yield* conversations.memory(account, conversation, { upTo: answer, limit: 1 })
  const message = memory?.messages.find(({ id }) => id === answer)
  // A release of an ended reservation changes nothing, and returns how it ended.
  const ending = yield* ledger.release(reservation)
  const outcome = row?.outcome ?? "failed"
  return {
    answer: message?.content ?? "",
    conversation_id: conversation,
    lang,
    took_ms: Math.max(0, (row?.endedAt ?? startedAt) - startedAt),
    outcome,
    credits_used: ending._tag === "AlreadyEnded" && ending.how === "settled" ? reservation.credits : 0,
    credits_left: ending.creditsLeft,
    ...chartsOf(message?.charts ?? []),
    suggestions: message?.suggestions ?? []
  }
})

/** Returns the complete answer of a generation from its log, or from its message if the log was deleted. */
export const wholeAnswer = Effect.fnUntraced(function*(
  generations: GenerationStore["Service"],
  conversations: ConversationStore["Service"],
  ledger: Ledger["Service"],
  generation: Generation,
  events: Stream.Stream<LoggedEvent, StoreUnavailable>
): Effect.fn.Return<Answer, StoreUnavailable> {
  const { done, shown, suggestions } = yield* Stream.runFold(events, () => nothingRead, read)
  if (done === null) return yield* fromMessage(generations, conversations, ledger, generation)
  const { url: _, ...rest } = done
  return { answer: shown.text, ...rest, ...chartsOf(shown.charts), suggestions }
})

/** Converts a stored answer to the minimal events, as a substitute for its deleted log. */
export const retold = (
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
