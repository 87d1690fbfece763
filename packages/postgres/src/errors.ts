import { StoreUnavailable } from "@tapeline/core/store"
import { Effect } from "effect"
import { isSqlError } from "effect/sql/SqlError"
import type { SqlError } from "effect/sql/SqlError"

const property = (value: unknown, name: string): string | undefined => {
  const found = typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined
  return typeof found === "string" ? found : undefined
}

/**
 * What may be told of a failure: its kind, the database's or the system's code, and the constraint. Messages and
 * details are left out, for they quote values, and a value may be a key's hash.
 */
const describe = ({ reason }: SqlError): Error =>
  new Error(
    [reason._tag, property(reason.cause, "code"), property(reason.cause, "constraint")].filter(Boolean).join(" ")
  )

const bugs: ReadonlySet<string> = new Set(["SqlSyntaxError", "ConstraintError", "UniqueViolation"])

/** The failure as the ports know it. A statement that the schema refuses is a bug, and a defect. */
export const unavailable = (store: string) => <A, E, R>(effect: Effect.Effect<A, E | SqlError, R>) =>
  Effect.catchIf(
    effect,
    (error): error is Extract<E | SqlError, SqlError> => isSqlError(error),
    (error): Effect.Effect<never, StoreUnavailable> =>
      bugs.has(error.reason._tag)
        ? Effect.die(describe(error))
        : Effect.fail(new StoreUnavailable({ store, cause: describe(error) }))
  )
