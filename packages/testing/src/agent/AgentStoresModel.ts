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
  messages: Map<number, string>
  question: number
  answer: number | null
  /** Report messages, by the identity of their report. */
  readonly reports: Map<string, number>
}

/** The expected content of the stores, derived from their answers so far. */
export class AgentStoresModel {
  readonly generations: Array<ModelGeneration> = []
  readonly conversations: Array<ModelConversation> = []
  /** Charged credits, and credits in open reservations, by account. */
  readonly chargedCredits = new Map<number, number>()
  readonly reservedCredits = new Map<number, number>()

  runningGeneration(conversation: number): ModelGeneration | undefined {
    return this.generations.find((one) => one.conversation === conversation && one.state === "running")
  }

  addCredits(creditsByAccount: Map<number, number>, account: number, credits: number): void {
    creditsByAccount.set(account, (creditsByAccount.get(account) ?? 0) + credits)
  }
}
