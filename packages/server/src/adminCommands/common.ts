import { Scope, scopeMeanings } from "@tapeline/core/engine"
import { Console, Context, Effect, Option, Predicate, Schema } from "effect"
import { Argument, Flag, GlobalFlag } from "effect/cli"
import { type AdminClient, withAdminClient } from "../adminClient.ts"
import { formatResponse } from "./formatResponse.ts"

/** The environment variables of the command line. */
export const CommandEnvironment = Context.Reference<Readonly<Record<string, string | undefined>>>(
  "@tapeline/server/CommandEnvironment",
  { defaultValue: () => process.env }
)

/** The flag `--json` of every admin command. */
export const json = GlobalFlag.Setting("json")({
  flag: Flag.Boolean("json").pipe(
    Flag.withDefault(false),
    Flag.withDescription("Print the response of the admin API as JSON")
  )
})

/** The body of a rejected request. */
export const Problem = Schema.Struct({ detail: Schema.String })

/** Prints a response: as JSON with `--json`, and otherwise as a table or as lines. */
export const printResponse = Effect.fnUntraced(function*(response: unknown, columns?: ReadonlyArray<string>) {
  const isJson = yield* json
  yield* Console.log(
    isJson || !Predicate.isObject(response) ? JSON.stringify(response, null, 2) : formatResponse(response, columns)
  )
})

/**
 * Runs a request of the admin API and prints the response: as JSON with `--json`, and otherwise as a table or as lines.
 * `columns` are the columns of a table, by default all fields.
 */
export const runAdminCommand = Effect.fnUntraced(
  function*<A, E, R>(use: (client: AdminClient) => Effect.Effect<A, E, R>, columns?: ReadonlyArray<string>) {
    const response = yield* withAdminClient(yield* CommandEnvironment, use)
    if (response === undefined) return yield* Console.log("done")
    yield* printResponse(response, columns)
  }
)

/** Returns an object with one field, or an empty object if the option has no value. */
export const optional = <K extends string, A>(key: K, value: Option.Option<A>): { readonly [_ in K]?: A } =>
  // The type cast is needed, because TypeScript gives computed keys the type `string`.
  Option.isNone(value) ? {} : { [key]: value.value } as { readonly [_ in K]: A }

export const idempotencyKey = Flag.String("idempotency-key").pipe(
  Flag.withDescription("A text that identifies the change. A repeated command with the same text changes nothing"),
  Flag.optional
)
export const toHeaders = (key: Option.Option<string>) => Option.isNone(key) ? {} : { "idempotency-key": key.value }

export const account = Argument.Int("account").pipe(Argument.withDescription("The account's id"))
export const key = Argument.Int("key").pipe(Argument.withDescription("The key's id"))
export const name = Flag.String("name").pipe(Flag.withDescription("The name of the account, key or token"))
export const plan = Flag.String("plan").pipe(
  Flag.withDescription("free, lite, pro, premium, or a plan of the configuration")
)
/** Returns the flag for a list of scopes. */
export const makeScopesFlag = <S extends string>(
  scope: Schema.Literals<ReadonlyArray<S>>,
  meanings: Readonly<Record<S, string>>
) => {
  const decodeScopes = Schema.decodeUnknownOption(Schema.Array(scope))
  return Flag.String("scopes").pipe(
    Flag.withDescription(`Separated by commas. ${scope.literals.map((one) => `${one}: ${meanings[one]}`).join("; ")}`),
    Flag.filterMap(
      (text) => decodeScopes(text.split(",").map((part) => part.trim()).filter((part) => part !== "")),
      () => `scopes separated by commas: ${scope.literals.join(", ")}`
    )
  )
}
export const scopes = makeScopesFlag(Scope, scopeMeanings)
export const expires = Flag.String("expires").pipe(
  Flag.withDescription("The time of expiry, such as 2027-01-31T00:00:00Z; `never` removes an expiry"),
  Flag.optional
)
export const toExpiry = (flag: Option.Option<string>) =>
  Option.isNone(flag) ? {} : { expires_at: flag.value === "never" ? null : flag.value }

export const pageFlags = {
  cursor: Flag.Int("cursor").pipe(
    Flag.withDescription("The `next_cursor` of the previous page; default: the first page"),
    Flag.optional
  ),
  limit: Flag.Int("limit").pipe(
    Flag.withDescription("The maximum number of items, up to 1000; default: 100"),
    Flag.optional
  )
}
export const month = Flag.String("month").pipe(
  Flag.withDescription("A month, UTC, such as 2026-11"),
  Flag.optional
)
export const toPage = ({ cursor, limit }: { readonly [K in keyof typeof pageFlags]: Option.Option<number> }) => ({
  ...(Option.isSome(cursor) ? { cursor: cursor.value } : {}),
  ...(Option.isSome(limit) ? { limit: limit.value } : {})
})
