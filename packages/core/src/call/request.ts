import type { Principal } from "../access/account.ts"
import type { Reservation } from "../credits/LedgerStore.ts"
import type { Language } from "../messages/language.ts"
import type { ArgumentsOf, ToolSpecification } from "../tool/specification.ts"

/** Who calls, and how: everything of a call but what is called. */
export interface CallOptions {
  readonly principal: Principal
  /** Of messages; English by default. */
  readonly language?: Language | undefined
  /** Under the same key of the same account, the same request is answered once and charged once. */
  readonly idempotencyKey?: string | undefined
  /** Who pays; a reservation of the call's own by default. */
  readonly payer?: Payer | undefined
}

/** A call by name, as transports make it: whatever its arguments are, they are judged. */
export interface ToolCall extends CallOptions {
  readonly name: string
  readonly arguments: unknown
}

/** A call of a tool that the caller knows: its arguments are those of the tool's specification. */
export interface TypedCall<S extends ToolSpecification> extends CallOptions {
  readonly arguments: ArgumentsOf<S>
}

/** What pays for a call. */
export type Payer =
  /** A reservation of its own. */
  | { readonly _tag: "Own" }
  /**
   * The reservation of the answer whose price covers its calls; nothing more is reserved. `call` names the call among
   * those of the answer, in the same way when the answer makes it again.
   */
  | { readonly _tag: "Answer"; readonly reservation: Reservation; readonly call: string }
