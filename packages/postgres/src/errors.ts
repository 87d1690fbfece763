import { StoreUnavailable, UnstorableValue } from "@tapeline/core/engine"
import { Cause, Effect } from "effect"
import { isSqlError } from "effect/sql/SqlError"
import type { SqlError } from "effect/sql/SqlError"
import { describeFailure } from "./connection/describeFailure.ts"

const readTextProperty = (value: unknown, name: string): string | undefined => {
  const text = typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined
  return typeof text === "string" ? text : undefined
}

const readSqlState = ({ reason }: SqlError): string | undefined => readTextProperty(reason.cause, "code")

export const hasCode = (error: SqlError, code: string): boolean => readSqlState(error) === code

/** The SQLSTATE codes with which a server rejects or ends a session, for which `@effect/sql-pg` has no error. */
const sessionErrorCodes = /^(57P0\d|53300|25P03)$/

/**
 * Returns the loggable parts of a failure: the kind, the error code, the constraint, and the reason of a failed
 * connection. Error messages and details are omitted, because they may quote the hash of a key.
 */
const toLoggableError = (error: SqlError): Error => {
  const { reason } = error
  const kind = sessionErrorCodes.test(readSqlState(error) ?? "") ? "ConnectionError" : reason._tag
  const parts = [kind, readSqlState(error), readTextProperty(reason.cause, "constraint")].filter(Boolean).join(" ")
  const connectionReason = kind === "ConnectionError" || kind === "AuthenticationError"
    ? `: ${describeFailure(error)}`
    : ""
  return new Error(parts + connectionReason)
}

const diskFull = "53100"

let diskFullFailures = 0

/** Returns how many statements of the process have failed because the disk was full. */
export const countDiskFullFailures = (): number => diskFullFailures

/** Instructions for the operator, by the SQLSTATE code of a database that is available but cannot run the statement. */
const operatorMessages: Readonly<Record<string, string>> = {
  [diskFull]: "cannot write, because its disk is full: free about 100 MB there; a restart is not needed"
}

/** The SQLSTATE classes of invalid values: data exceptions, and exceeded limits such as the maximum length of a row. */
const valueErrorCodes = /^(22|54)/

const findOperatorMessage = (error: SqlError): { readonly trouble?: string } => {
  const trouble = operatorMessages[readSqlState(error) ?? ""]
  return trouble === undefined ? {} : { trouble }
}

const statementErrorCodes = /^(0A|21|23|42(?!501)|44)/

/**
 * Classifies a failed statement as an invalid value, a bug, or an outage. A failure without an error code is a bug if
 * the client could not encode the statement or decode the response. A failure without an error code is an outage in all
 * other cases.
 */
const classifyError = (error: SqlError): "value" | "bug" | "outage" => {
  const code = readSqlState(error)
  if (code === undefined) return error.reason._tag === "UnknownError" ? "bug" : "outage"
  return valueErrorCodes.test(code) ? "value" : statementErrorCodes.test(code) ? "bug" : "outage"
}

const isOutage = (error: unknown): error is SqlError | StoreUnavailable =>
  isSqlError(error) || error instanceof StoreUnavailable

/**
 * Converts the failures of a transaction whose database session was lost to one database error. If any defect has
 * another cause, the failure stays unchanged. If a session is lost, the rollback fails too, and Effect reports the
 * failed rollback as a second defect.
 */
const mergeRollbackFailures = <A, E, R>(
  effect: Effect.Effect<A, E, R>
): Effect.Effect<A, E | SqlError | StoreUnavailable, R> =>
  Effect.catchCauseIf(effect, Cause.hasDies, (cause): Effect.Effect<never, E | SqlError | StoreUnavailable> => {
    const defects = cause.reasons.filter(Cause.isDieReason).map(({ defect }) => defect)
    const [first] = [...cause.reasons.filter(Cause.isFailReason).map(({ error }) => error), ...defects].filter(isOutage)
    return first !== undefined && defects.every(isOutage) && !Cause.hasInterrupts(cause)
      ? Effect.fail(first)
      : Effect.failCause(cause)
  })

/**
 * Converts a failed statement to `StoreUnavailable`. A failure because of a wrong statement or value becomes a defect.
 */
export const mapSqlErrors = (store: string) => <A, E, R>(effect: Effect.Effect<A, E | SqlError, R>) =>
  Effect.catchIf(
    mergeRollbackFailures(effect),
    (error): error is Extract<E | SqlError, SqlError> => isSqlError(error),
    (error): Effect.Effect<never, StoreUnavailable> => {
      switch (classifyError(error)) {
        case "value":
          return Effect.die(new UnstorableValue({ store, code: readSqlState(error)! }))
        case "bug":
          return Effect.die(toLoggableError(error))
        case "outage":
          if (readSqlState(error) === diskFull) diskFullFailures += 1
          return Effect.fail(
            new StoreUnavailable({ store, cause: toLoggableError(error), ...findOperatorMessage(error) })
          )
      }
    }
  )
