import { Scope, scopeMeanings } from "@tapeline/core/engine"
import { Console, Effect, Option, Schema } from "effect"
import { Argument, Flag } from "effect/cli"
import { type AdminClient, withAdminClient } from "../adminClient.ts"

/** Prints a response as JSON. */
export const printJson = (response: unknown) => Console.log(JSON.stringify(response, null, 2))

/** Runs a request of the admin API and prints the response as JSON. */
export const runAdminCommand = <A, E, R>(use: (client: AdminClient) => Effect.Effect<A, E, R>) =>
  withAdminClient(process.env, use).pipe(
    Effect.flatMap((answer) => answer === undefined ? Console.log("done") : printJson(answer))
  )

export const idempotencyKey = Flag.String("idempotency-key").pipe(
  Flag.withDescription("A text that identifies the change. A repeated command with the same text changes nothing"),
  Flag.optional
)
export const toHeaders = (key: Option.Option<string>) => Option.isNone(key) ? {} : { "idempotency-key": key.value }

export const account = Argument.Int("account").pipe(Argument.withDescription("The account's id"))
export const key = Argument.Int("key").pipe(Argument.withDescription("The key's id"))
export const name = Flag.String("name").pipe(Flag.withDescription("A name that identifies it"))
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
      () => `expected scopes separated by commas: ${scope.literals.join(", ")}`
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
export const toPage = ({ cursor, limit }: { readonly [K in keyof typeof pageFlags]: Option.Option<number> }) => ({
  ...(Option.isSome(cursor) ? { cursor: cursor.value } : {}),
  ...(Option.isSome(limit) ? { limit: limit.value } : {})
})
