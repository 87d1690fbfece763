import { Effect, Stream } from "effect"
import { quoted } from "../../engine/text/quoted.ts"
import { splitHistory } from "../context/compose.ts"
import type { Material } from "../context/material.ts"
import { bytesOf } from "../context/tokens.ts"
import { briefOf, turnsOfMessages } from "../context/turns.ts"
import type { ChatMessage } from "../conversation.ts"
import type { ConversationStore } from "../ConversationStore.ts"
import type { LanguageModel } from "../LanguageModel.ts"
import { storableText } from "../machine/asked.ts"
import { fenced, summaryInstructions } from "../prompts/instructions.ts"
import { countAttempt } from "./measures.ts"

const summaryTokens = 1_200
const longestSummary = bytesOf(summaryTokens)
/** The maximum characters of a message in the summary's input. */
const excerptLength = 2_000
const patienceMs = 30_000
/**
 * The maximum number of messages that stay in full. It is well below `reach` of `gather`, so that no message is lost in
 * between.
 */
const mostMessages = 120

/** Returns all text that a model writes for a request. */
const writtenBy = (model: LanguageModel["Service"], request: Parameters<LanguageModel["Service"]["stream"]>[0]) =>
  Stream.runFold(
    model.stream(request),
    () => "",
    (text, part) => part._tag === "Text" && text.length < longestSummary ? text + part.text : text
  )

/** Builds a summary without a model: the beginning of each message, as many of the newest as fit. */
const extracted = (before: string | null, messages: ReadonlyArray<ChatMessage>): string =>
  [...(before === null ? [] : [before]), ...messages.map(({ content, role }) => `${role}: ${quoted(content, 160)}`)]
    .join("\n").slice(-longestSummary).toWellFormed()

/**
 * Replaces the older messages of `material` with a summary if they exceed `tokens`.
 *
 * The model writes the summary once, and the conversation stores it. Messages that fill half of the budget stay as they
 * are, so that not every question needs a new summary. If the model fails, a summary without a model is used and not
 * stored.
 */
export const summarise = Effect.fnUntraced(function*(
  model: LanguageModel["Service"],
  conversations: ConversationStore["Service"],
  account: number,
  conversation: number,
  material: Material,
  { silenceMs, tokens }: { readonly silenceMs: number; readonly tokens: number }
): Effect.fn.Return<{ readonly material: Material; readonly silentMs: number }> {
  const { history, summary } = material
  if (history.length <= mostMessages && splitHistory(history, tokens).older.length === 0) {
    return { material, silentMs: 0 }
  }
  const newer = splitHistory(history, Math.floor(tokens / 2)).newer.slice(-mostMessages / 2)
  const older = history.slice(0, history.length - newer.length)
  const excerpts = older.map((message) => ({
    ...message,
    content: message.content.slice(0, excerptLength).toWellFormed()
  }))
  const request = {
    purpose: "summary",
    instructions: summary === null
      ? summaryInstructions
      : `${summaryInstructions}\n\nWhat came before was summarised: ${fenced("summary", summary)}`,
    turns: turnsOfMessages(splitHistory(excerpts, tokens).newer, new Map()),
    tools: [],
    brief: briefOf({ ...material, history: older }),
    step: 1,
    maxOutputTokens: summaryTokens,
    silenceMs: Math.min(silenceMs, patienceMs)
  } as const
  let silentMs = 0
  const told = yield* Effect.andThen(countAttempt(model.name, "summary"), writtenBy(model, request)).pipe(
    // The text may have arrived in one piece of any length.
    Effect.map((text) => storableText(text.slice(0, longestSummary)).trim()),
    Effect.tapError((error) =>
      Effect.sync(() => {
        if (error._tag === "ModelTimeout") silentMs = error.waitedMs
      })
    ),
    // The adapter ends a silent request at this moment. A request that still writes has a little longer.
    Effect.timeout(patienceMs + 1_000),
    Effect.catchCause((cause) => Effect.as(Effect.logWarning("A summary of a conversation failed", cause), ""))
  )
  const text = told === "" ? extracted(summary, older) : told
  if (told !== "") {
    // If the summary cannot be stored now, a later question makes it again.
    yield* Effect.ignore(conversations.summarise(account, conversation, { upTo: older.at(-1)!.id, text }))
  }
  return { material: { ...material, history: newer, summary: text }, silentMs }
}, Effect.withSpan("agent.summary"))
