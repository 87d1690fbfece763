import type { Outcome } from "@tapeline/core/agent"

/** What a run of the model holds of one generation. */
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

/** What a run of the model holds of one conversation. */
export interface ModelConversation {
  readonly account: number
  readonly id: number
  /** Texts by the number of their message, in order. */
  said: Map<number, string>
  question: number
  answer: number | null
  /** The messages of reports, by the identity under which they were added. */
  readonly reports: Map<string, number>
}

/** What must be in the stores, by what they answered so far. */
export class Model {
  readonly generations: Array<ModelGeneration> = []
  readonly conversations: Array<ModelConversation> = []
  /** Credits that were charged, and reservations that run, by account. */
  readonly used = new Map<number, number>()
  readonly reserved = new Map<number, number>()

  running(conversation: number): ModelGeneration | undefined {
    return this.generations.find((one) => one.conversation === conversation && one.state === "running")
  }

  add(to: Map<number, number>, account: number, credits: number): void {
    to.set(account, (to.get(account) ?? 0) + credits)
  }
}
