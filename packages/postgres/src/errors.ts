import { StoreUnavailable, UnstorableValue } from "@tapeline/core/engine"
import { Cause, Effect } from "effect"
import { isSqlError } from "effect/sql/SqlError"
import type { SqlError } from "effect/sql/SqlError"
import { reasonOf } from "./connection/failure.ts"

const property = (value: unknown, name: string): string | undefined => {
  const found = typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined
  return typeof found === "string" ? found : undefined
}

const codeOf = ({ reason }: SqlError): string | undefined => property(reason.cause, "code")

/** Whether it is the failure of that SQLSTATE. */
export const hasCode = (error: SqlError, code: string): boolean => codeOf(error) === code

/** SQLSTATEs with which the server refuses or ends a session. `@effect/sql-pg` has no name for them. */
const ofSessions = /^(57P0\d|53300|25P03)$/

/**
 * What may be told of a failure: its kind, the database's or the system's code, the constraint, and of a connection why
 * it is not there. Messages and details are left out, for they quote values, and a value may be a key's hash.
 */
const describe = (error: SqlError): Error => {
  const { reason } = error
  const kind = ofSessions.test(codeOf(error) ?? "") ? "ConnectionError" : reason._tag
  const known = [kind, codeOf(error), property(reason.cause, "constraint")].filter(Boolean).join(" ")
  const why = kind === "ConnectionError" || kind === "AuthenticationError" ? `: ${reasonOf(error)}` : ""
  return new Error(known + why)
}

const diskFull = "53100"

let refusedRoom = 0

/** How often a statement of this process was refused for a full disk. */
export const timesRefusedRoom = (): number => refusedRoom

/** SQLSTATEs of a database that is there and answers, and what its operator can do. */
const troubles: Readonly<Record<string, string>> = {
  [diskFull]:
    "has no room to write, for its disk is full: make some 100 MB of room there; nothing needs to be restarted"
}

/** Classes of SQLSTATE that say that a value does not fit: data exceptions, and limits such as the length of a row. */
const ofValues = /^(22|54)/

const troubleOf = (error: SqlError): { readonly trouble?: string } => {
  const trouble = troubles[codeOf(error) ?? ""]
  return trouble === undefined ? {} : { trouble }
}

/** Classes of SQLSTATE that say that the statement itself is wrong. */
const ofStatements = /^(0A|21|23|42(?!501)|44)/

/**
 * What a failure is. A client that could neither write the statement nor read its answer has no code: a bug too. All
 * else is the state of the world: lost connections, locks, a full disk, a server that stops or only reads.
 */
const kindOf = (error: SqlError): "value" | "bug" | "outage" => {
  const code = codeOf(error)
  if (code === undefined) return error.reason._tag === "UnknownError" ? "bug" : "outage"
  return ofValues.test(code) ? "value" : ofStatements.test(code) ? "bug" : "outage"
}

const isOutage = (error: unknown): error is SqlError | StoreUnavailable =>
  isSqlError(error) || error instanceof StoreUnavailable

/**
 * The rollback of a transaction whose session is lost fails as well, and Effect reports that as a defect, beside the
 * first failure. Both are one failure of the database, unless another defect is among them.
 */
const undone = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E | SqlError | StoreUnavailable, R> =>
  Effect.catchCauseIf(effect, Cause.hasDies, (cause): Effect.Effect<never, E | SqlError | StoreUnavailable> => {
    const defects = cause.reasons.filter(Cause.isDieReason).map(({ defect }) => defect)
    const [first] = [...cause.reasons.filter(Cause.isFailReason).map(({ error }) => error), ...defects].filter(isOutage)
    return first !== undefined && defects.every(isOutage) && !Cause.hasInterrupts(cause)
      ? Effect.fail(first)
      : Effect.failCause(cause)
  })

/** The failure as the ports know it. A statement that the schema refuses is a bug, and a defect. */
export const unavailable = (store: string) => <A, E, R>(effect: Effect.Effect<A, E | SqlError, R>) =>
  Effect.catchIf(
    undone(effect),
    (error): error is Extract<E | SqlError, SqlError> => isSqlError(error),
    (error): Effect.Effect<never, StoreUnavailable> => {
      switch (kindOf(error)) {
        case "value":
          return Effect.die(new UnstorableValue({ store, code: codeOf(error)! }))
        case "bug":
          return Effect.die(describe(error))
        case "outage":
          if (codeOf(error) === diskFull) refusedRoom += 1
          return Effect.fail(
            new StoreUnavailable({ store, cause: describe(error), ...troubleOf(error) })
          )
      }
    }
  )
