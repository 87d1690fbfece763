import type { Principal } from "../access/account.ts"
import type { Reservation } from "../credits/LedgerStore.ts"
import type { Issue } from "../messages/issue.ts"
import type { Language } from "../messages/languageCode.ts"
import type { ArgumentsOf, ToolSpecification } from "../tool/specification.ts"

/** Who calls, and how: everything of a call but what is called. */
export interface CallOptions {
  readonly principal: Principal
  /** Of messages; English by default. */
  readonly language?: Language | undefined
  /** Under the same key of the same account, the same request is answered once and charged once. */
  readonly idempotencyKey?: string | undefined
  /** Who pays; a reservation of the call's own when left out. */
  readonly payer?: Payer | undefined
}

/** A call by name, as transports make it: whatever its arguments are, they are judged. */
export interface ToolCall extends CallOptions {
  readonly name: string
  readonly arguments: unknown
  /**
   * What a transport found wrong with the request as it read it, its texts included, to be refused once the tool and
   * the scope are judged. Left out, the texts of the arguments are looked at here.
   */
  readonly issues?: ReadonlyArray<Issue> | undefined
}

/** A call of a tool that the caller knows: its arguments are those of the tool's specification. */
export interface TypedCall<S extends ToolSpecification> extends CallOptions {
  readonly arguments: ArgumentsOf<S>
}

/**
 * The reservation of the answer, or of the call, whose price covers its calls, of the same account; nothing more is
 * reserved, and no idempotency key goes with it. Whoever gives it vouches that the answer still runs under it: it is
 * not looked up. `call` names the call among those of the answer, in the same way when the answer makes it again.
 */
export interface Payer {
  readonly reservation: Reservation
  readonly call: string
  /** The conversation in which it is answered; left out where there is none. */
  readonly conversation?: number | undefined
}
