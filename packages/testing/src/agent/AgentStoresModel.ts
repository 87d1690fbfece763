import type { Outcome } from "@tapeline/core/agent"

/** The expected state of one generation in a model run. A generation is the production of one answer by the agent. */
export interface ModelGeneration {
  readonly account: number
  readonly conversation: number
  readonly id: number
  readonly replaces: number | null
  state: "running" | "ended" | "closed"
  epoch: number
  steps: Array<string>
  /** The expected events of the generation in log order, as strings of the form `kind text`. */
  events: Array<string>
  outcome: Outcome | null
  answer: number | null
}

/** The expected state of one conversation in a model run. */
export interface ModelConversation {
  readonly account: number
  readonly id: number
  messages: Map<number, string>
  question: number
  answer: number | null
  readonly reports: Map<string, number>
}

/** The expected content of the agent's stores, derived from the results of all calls so far. */
export class AgentStoresModel {
  readonly generations: Array<ModelGeneration> = []
  readonly conversations: Array<ModelConversation> = []
  readonly chargedCredits = new Map<number, number>()
  readonly reservedCredits = new Map<number, number>()

  runningGeneration(conversation: number): ModelGeneration | undefined {
    return this.generations.find((one) => one.conversation === conversation && one.state === "running")
  }

  addCredits(creditsByAccount: Map<number, number>, account: number, credits: number): void {
    creditsByAccount.set(account, (creditsByAccount.get(account) ?? 0) + credits)
  }
}
