import { Effect, Stream } from "effect"
import { quoteText } from "../../engine/text/formatting.ts"
import type { AnswerInputs } from "../context/answerInputs.ts"
import { splitHistory } from "../context/composeRequest.ts"
import { tokensToBytes } from "../context/tokens.ts"
import { messagesToTurns, toModelBrief } from "../context/turns.ts"
import type { ChatMessage } from "../conversation.ts"
import type { ConversationStore } from "../ConversationStore.ts"
import type { LanguageModel } from "../LanguageModel.ts"
import { toStorableText } from "../machine/requestedCall.ts"
import { summaryInstructions, wrapData } from "../prompts/instructions.ts"
import { countAttempt } from "./metrics.ts"

const summaryTokens = 1_200
/** The additional tokens for the reasoning of a model that reasons by default, if the model's context allows them. */
const maxReasoningTokens = 1_000
const maxSummaryLength = tokensToBytes(summaryTokens)
const maxExcerptLength = 2_000
const timeoutMs = 30_000
/**
 * The maximum number of messages without a summary. `maxFullMessages` must stay well below `maxHistoryMessages`, the
 * number of messages that `loadInputs` reads.
 */
const maxFullMessages = 120

/** Returns the text that a model writes for a request, up to about `maxSummaryLength`. */
const collectText = (model: LanguageModel["Service"], request: Parameters<LanguageModel["Service"]["stream"]>[0]) =>
  Stream.runFold(
    model.stream(request),
    () => "",
    (text, part) => part._tag === "Text" && text.length < maxSummaryLength ? text + part.text : text
  )

/**
 * Builds a summary from the beginning of each message, without a model. If the summary is too long, its oldest part is
 * cut off.
 */
const makeExtract = (previousSummary: string | null, messages: ReadonlyArray<ChatMessage>): string =>
  [
    ...(previousSummary === null ? [] : [previousSummary]),
    ...messages.map(({ content, role }) => `${role}: ${quoteText(content, 160)}`)
  ]
    .join("\n").slice(-maxSummaryLength).toWellFormed()

/**
 * Replaces the older messages of a conversation with a summary if the history exceeds `tokens`. The model's summary is
 * stored in the conversation. The newest messages stay unchanged, up to half of `tokens`. If the model fails, an
 * extract replaces the summary and is not stored.
 */
export const summariseHistory = Effect.fnUntraced(function*(
  model: LanguageModel["Service"],
  conversations: ConversationStore["Service"],
  account: number,
  conversation: number,
  inputs: AnswerInputs,
  { silenceMs, tokens }: { readonly silenceMs: number; readonly tokens: number }
): Effect.fn.Return<{ readonly inputs: AnswerInputs; readonly silentMs: number }> {
  const { history, summary } = inputs
  if (history.length <= maxFullMessages && splitHistory(history, tokens).older.length === 0) {
    return { inputs, silentMs: 0 }
  }
  const newer = splitHistory(history, Math.floor(tokens / 2)).newer.slice(-maxFullMessages / 2)
  const older = history.slice(0, history.length - newer.length)
  const excerpts = older.map((message) => ({
    ...message,
    content: message.content.slice(0, maxExcerptLength).toWellFormed()
  }))
  const request = {
    purpose: "summary",
    instructions: summary === null
      ? summaryInstructions
      : `${summaryInstructions}\n\nWhat came before was summarised: ${wrapData("summary", summary)}`,
    context: "",
    turns: messagesToTurns(splitHistory(excerpts, tokens).newer, new Map()),
    tools: [],
    brief: toModelBrief({ ...inputs, history: older }),
    step: 1,
    maxOutputTokens: Math.max(
      summaryTokens,
      Math.min(summaryTokens + maxReasoningTokens, Math.floor(model.contextTokens / 4))
    ),
    silenceMs: Math.min(silenceMs, timeoutMs)
  } as const
  let silentMs = 0
  const modelSummary = yield* Effect.andThen(countAttempt(model.name, "summary"), collectText(model, request)).pipe(
    // The model may have sent the text in one piece of any length, so the text is cut.
    Effect.map((text) => toStorableText(text.slice(0, maxSummaryLength)).trim()),
    Effect.tapError((error) =>
      Effect.sync(() => {
        if (error._tag === "ModelTimeout") silentMs = error.waitedMs
      })
    ),
    // The adapter ends a silent request after `timeoutMs`, and a request that still writes gets one more second.
    Effect.timeout(timeoutMs + 1_000),
    Effect.catchCause((cause) => Effect.as(Effect.logWarning("Summarising a conversation failed", cause), ""))
  )
  const text = modelSummary === "" ? makeExtract(summary, older) : modelSummary
  if (modelSummary !== "") {
    // If the summary cannot be stored now, a later question makes the summary again.
    yield* Effect.ignore(conversations.storeSummary(account, conversation, { upTo: older.at(-1)!.id, text }))
  }
  return { inputs: { ...inputs, history: newer, summary: text }, silentMs }
}, Effect.withSpan("agent.summary"))
