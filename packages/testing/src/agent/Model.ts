import type { Outcome } from "@tapeline/core/agent"

/** The expected state of one generation in a model run. */
export interface ModelGeneration {
  readonly account: number
  readonly conversation: number
  readonly id: number
  readonly replaces: number | null
  state: "running" | "ended" | "closed"
  epoch: number
  steps: Array<string>
  /** `kind text`, in the order of their numbers. */
  events: Array<string>
  outcome: Outcome | null
  answer: number | null
}

/** The expected state of one conversation in a model run. */
export interface ModelConversation {
  readonly account: number
  readonly id: number
  /** Message texts by message number, in order. */
  said: Map<number, string>
  question: number
  answer: number | null
  /** Report messages, by the identity of their report. */
  readonly reports: Map<string, number>
}

/** The expected content of the stores, derived from their answers so far. */
export class Model {
  readonly generations: Array<ModelGeneration> = []
  readonly conversations: Array<ModelConversation> = []
  /** Charged credits, and credits in open reservations, by account. */
  readonly used = new Map<number, number>()
  readonly reserved = new Map<number, number>()

  running(conversation: number): ModelGeneration | undefined {
    return this.generations.find((one) => one.conversation === conversation && one.state === "running")
  }

  add(to: Map<number, number>, account: number, credits: number): void {
    to.set(account, (to.get(account) ?? 0) + credits)
  }
}
