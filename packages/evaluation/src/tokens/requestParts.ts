import { createHash } from "node:crypto"

/** The body of a request to Chat Completions. */
export type ChatBody = Readonly<Record<string, unknown>>

interface ChatMessage {
  readonly role: string
  readonly content?: unknown
  readonly tool_calls?: unknown
}

const bytesPerToken = 3

/** Estimates tokens as the engine does: three UTF-8 bytes count as one token. */
export const estimateTokens = (text: string): number => Math.ceil(Buffer.byteLength(text) / bytesPerToken)

// The cast is safe, because the adapter sends a list of messages.
const listMessages = (body: ChatBody) => (body["messages"] ?? []) as ReadonlyArray<ChatMessage>

export const partNames = ["tool definitions", "instructions", "conversation", "tool calls", "tool results"] as const
export type PartName = (typeof partNames)[number]

const findPart = ({ role, tool_calls: calls }: ChatMessage): PartName =>
  role === "system"
    ? "instructions"
    : role === "tool"
    ? "tool results"
    : calls === undefined
    ? "conversation"
    : "tool calls"

/** Returns the estimated tokens of each part of a request. */
export const measureParts = (body: ChatBody): Readonly<Record<PartName, number>> => {
  const tools = body["tools"]
  const parts: Record<PartName, number> = {
    "tool definitions": tools === undefined ? 0 : estimateTokens(JSON.stringify(tools)),
    instructions: 0,
    conversation: 0,
    "tool calls": 0,
    "tool results": 0
  }
  for (const message of listMessages(body)) parts[findPart(message)] += estimateTokens(JSON.stringify(message))
  return parts
}

const blockTokens = 128
const minCachedTokens = 1_024

/**
 * A prompt cache as vLLM describes its own, and OpenAI the one of models before `gpt-5.6`. An input is cached up to the
 * end of its longest prefix of whole blocks that an earlier input had too. The prefix begins with the tools. Inputs
 * stay cached until the end of the run.
 */
export class PromptCache {
  private readonly prefixes = new Set<string>()

  /** Returns the estimated tokens of a request that are cached, and caches the request. */
  read(body: ChatBody): number {
    const input = Buffer.from(JSON.stringify(body["tools"] ?? []) + JSON.stringify(listMessages(body)))
    const blockBytes = blockTokens * bytesPerToken
    let prefix = ""
    let cachedTokens = 0
    let isPrefixCached = true
    for (let at = 0; at + blockBytes <= input.length; at += blockBytes) {
      prefix = createHash("sha1").update(prefix).update(input.subarray(at, at + blockBytes)).digest("base64")
      isPrefixCached &&= this.prefixes.has(prefix)
      if (isPrefixCached) cachedTokens += blockTokens
      this.prefixes.add(prefix)
    }
    return cachedTokens < minCachedTokens ? 0 : cachedTokens
  }
}
