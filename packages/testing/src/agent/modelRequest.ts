import type { ModelRequest } from "@tapeline/core/agent"
import { callableEntries, makeCatalogue } from "@tapeline/core/engine"
import { specifications } from "@tapeline/core/specifications"

const tools = callableEntries(makeCatalogue(specifications.slice(0, 12)))

/** Creates a language model request like those of the agent, with `overrides`. */
export const makeModelRequest = (overrides: Partial<ModelRequest> = {}): ModelRequest => {
  const question = "What is the price of BTC?"
  return {
    purpose: "answer",
    instructions: "You are a market analyst.",
    context: "",
    turns: [{ _tag: "User", text: question, images: [] }],
    tools,
    brief: {
      lang: "en",
      mode: "analyst",
      question,
      coin: null,
      facts: {},
      earlier: [],
      images: 0,
      accepted: null
    },
    step: 1,
    maxOutputTokens: 1_000,
    ...overrides
  }
}
