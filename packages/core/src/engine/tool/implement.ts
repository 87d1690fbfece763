import { Effect, Predicate } from "effect"
import type { CallContext } from "../call/CallContext.ts"
import { formatMessage } from "../messages/language.ts"
import type { StoreUnavailable } from "../store/errors.ts"
import { atArgument, runAsOf } from "./asOf.ts"
import type { Exactly } from "./exactType.ts"
import { type ConvertibleToToolFailure, ToolFailure } from "./failure.ts"
import type { IsToolName, JsonCodec, ParameterSchema, ToolSpecification } from "./specification.ts"

/** The errors of a handler. `StoreUnavailable` rejects the call; the other errors make the call fail. */
export type HandlerError = ToolFailure | StoreUnavailable | ConvertibleToToolFailure

/** Computes the result of one call from decoded arguments. The result must match the result schema. */
export interface Handler<Parameters extends ParameterSchema, Result extends JsonCodec> {
  (args: Parameters["Type"], context: CallContext): Effect.Effect<Result["Type"], HandlerError>
  readonly readVersion?: ReadVersion<Parameters["Type"]>
}

/**
 * Returns the version of the record that a call would change. The handler of a tool that changes existing records has
 * this function, and compares `CallContext.recordVersion` with the record's version.
 */
type ReadVersion<Args> = (args: Args, account: number) => Effect.Effect<string, HandlerError>

/** Creates a handler. The handler's dependencies are resolved once, when the toolbox is built. */
type MakeHandler<Parameters extends ParameterSchema, Result extends JsonCodec, R> = Effect.Effect<
  Handler<Parameters, Result>,
  never,
  R
>

/** A `MakeHandler` whose type rejects a result `A` with fields that the result schema lacks. */
type MakeExactHandler<Parameters extends ParameterSchema, Result extends JsonCodec, A, R> =
  & Effect.Effect<(args: Parameters["Type"], context: CallContext) => Effect.Effect<A, HandlerError>, never, R>
  & Exactly<A, Result["Type"]>

/**
 * Gives a handler the types of its specification: the arguments and the exact result. A tool that changes existing
 * records passes `makeReadVersion`.
 */
export const handlerOf = <
  Parameters extends ParameterSchema,
  Result extends JsonCodec,
  A extends Result["Type"],
  R,
  R2 = never
>(
  _specification: ToolSpecification<string, Parameters, Result>,
  make: MakeExactHandler<Parameters, Result, A, R>,
  makeReadVersion?: Effect.Effect<ReadVersion<Parameters["Type"]>, never, R2>
): MakeHandler<Parameters, Result, R | R2> =>
  makeReadVersion === undefined
    ? make
    : Effect.zipWith(make, makeReadVersion, (handler, readVersion) => Object.assign(handler, { readVersion }))

interface ReadyHandler {
  (args: unknown, context: CallContext): Effect.Effect<unknown, ToolFailure | StoreUnavailable>
  readonly readVersion?: (args: unknown, account: number) => Effect.Effect<string, ToolFailure | StoreUnavailable>
}

/** A specification with its handler. */
export interface Tool<S extends ToolSpecification = ToolSpecification, R = never> {
  readonly specification: S
  readonly make: Effect.Effect<ReadyHandler, never, R>
}

/** A tool that is ready to be called. */
export interface ReadyTool {
  readonly specification: ToolSpecification
  readonly handler: ReadyHandler
}

const toCallError = (error: HandlerError): ToolFailure | StoreUnavailable =>
  "toolFailure" in error ? error.toolFailure : error

/** Replaces the message for an unknown name by a hint, because a caller that requests AAPL as a coin wants a stock. */
const makeKindHint = ({ fields }: ParameterSchema) => {
  const [takesCoin, takesSymbol] = ["coin" in fields || "coins" in fields, "symbol" in fields]
  const keyOf = (args: unknown) =>
    takesCoin && takesSymbol
      ? (Predicate.hasProperty(args, "coin") && args.coin !== undefined ? "unknown_coin_here" : "unknown_stock_here")
      : takesCoin
      ? "unknown_coin"
      : takesSymbol
      ? "unknown_stock"
      : undefined
  return (failure: ToolFailure | StoreUnavailable, args: unknown): ToolFailure | StoreUnavailable => {
    const key = keyOf(args)
    if (key === undefined || failure._tag !== "ToolFailure" || typeof failure.callerMessage === "string") return failure
    if (failure.callerMessage.key !== "unknown_symbol") return failure
    const { code, retryable, callerMessage: { params } } = failure
    return new ToolFailure({ code, retryable, callerMessage: { key, params } })
  }
}

const reasonOf = (error: ConvertibleToToolFailure): string => {
  if (error instanceof Error && error.message !== "") return error.message
  const name = Predicate.hasProperty(error, "_tag") ? String(error._tag) : "an error without a tag"
  const { callerMessage } = error.toolFailure
  return `${name}: ${typeof callerMessage === "string" ? callerMessage : formatMessage(callerMessage, "en")}`
}

/** Logs the reason why a source is unavailable. The log contains details that the message to the caller omits. */
const logSourceFailure = (tool: string, error: HandlerError): Effect.Effect<void> => {
  if (!("toolFailure" in error) || error.toolFailure.code !== "source_unavailable") return Effect.void
  const message = `${tool} could not answer: ${reasonOf(error)}`
  return error.isBusy === true ? Effect.logDebug(message) : Effect.logWarning(message)
}

/** Creates a tool from a specification and its handler. The specification determines the handler's types. */
export const implement = <
  Name extends string,
  Parameters extends ParameterSchema,
  Result extends JsonCodec,
  A extends Result["Type"],
  R
>(
  specification: ToolSpecification<Name, Parameters, Result>,
  make: MakeExactHandler<Parameters, Result, A, R>
): Tool<ToolSpecification<Name, Parameters, Result>, R> => ({
  specification,
  // The arguments reach the handler only through the decoder of its specification (in `ToolCaller`), so they have its
  // type.
  make: Effect.map(make, (handler: Handler<Parameters, Result>) => {
    const withKindHint = makeKindHint(specification.parameters)
    const hasAtArgument = "at" in specification.parameters.fields
    const { readVersion } = handler
    const call = (args: unknown, context: CallContext) => {
      const asOf = hasAtArgument ? atArgument(args) : undefined
      const result = handler(args, context)
      return Effect.catch(
        asOf === undefined ? result : runAsOf(result, asOf),
        (error) =>
          Effect.andThen(
            logSourceFailure(specification.name, error),
            Effect.fail(withKindHint(toCallError(error), args))
          )
      )
    }
    return readVersion === undefined ? call : Object.assign(call, {
      readVersion: (args: unknown, account: number) => Effect.mapError(readVersion(args, account), toCallError)
    })
  })
})

/**
 * A handler, or a function that imports the handler's module when the toolbox is built. The imported module must export
 * the handler under the name `handler`.
 */
type HandlerSource<Parameters extends ParameterSchema, Result extends JsonCodec, R> =
  | MakeHandler<Parameters, Result, R>
  | (() => Promise<{ readonly handler: MakeHandler<Parameters, Result, R> }>)

/** Maps each tool's name to its handler. A missing or wrong handler is a compile error. */
export type HandlersFrom<Specifications extends ReadonlyArray<ToolSpecification>> = {
  readonly [S in Specifications[number] as S["name"]]: HandlerSource<S["parameters"], S["result"], unknown>
}

type RequirementsOf<Source> = Source extends Effect.Effect<unknown, never, infer R> ? R
  : Source extends () => Promise<{ readonly handler: Effect.Effect<unknown, never, infer R> }> ? R
  : never

type ResultOfHandler<Handler> = Handler extends (...args: never) => Effect.Effect<infer A, unknown> ? A : never

type ResultOfSource<Source> = Source extends Effect.Effect<infer Handler, never, unknown> ? ResultOfHandler<Handler>
  : Source extends () => Promise<{ readonly handler: Effect.Effect<infer Handler, never, unknown> }> ?
    ResultOfHandler<Handler>
  : never

/** Rejects handlers without a specification, handlers with unknown requirements, and results with extra fields. */
type RejectUnknownHandlers<Specifications extends ReadonlyArray<ToolSpecification>, Handlers> =
  & { readonly [Name in Exclude<keyof Handlers, Specifications[number]["name"]>]: never }
  & {
    readonly [S in Specifications[number] as S["name"] & keyof Handlers]:
      & Exactly<ResultOfSource<Handlers[S["name"] & keyof Handlers]>, S["result"]["Type"]>
      & (unknown extends RequirementsOf<Handlers[S["name"] & keyof Handlers]> ? { readonly "what does it need?": never }
        : unknown)
  }

/** Rejects specifications with invalid or duplicate names that are known at compile time. */
type RejectInvalidNames<Specifications, SeenNames = never> = Specifications extends readonly [infer One, ...infer Rest]
  ? One extends { readonly name: infer Name } ? string extends Name ? RejectInvalidNames<Rest, SeenNames>
    : Name extends SeenNames ? { readonly "two tools of one name": Name }
    : IsToolName<Name> extends true ? RejectInvalidNames<Rest, SeenNames | Name>
    : { readonly "a name is lower-case letters, digits and _": Name }
  : RejectInvalidNames<Rest, SeenNames>
  : unknown

/**
 * Replaces requirements of type `unknown` by `never`. TypeScript then reports a wrong handler map at the map, and not
 * at each use of the tools.
 */
type KnownRequirements<Needs> = unknown extends Needs ? never : Needs

/** The type of the tools in the order of their specifications. Each tool keeps its own requirements. */
type ImplementedTools<Specifications extends ReadonlyArray<ToolSpecification>, Handlers> = {
  readonly [I in keyof Specifications]: Specifications[I] extends ToolSpecification
    ? Tool<Specifications[I], KnownRequirements<RequirementsOf<Handlers[Specifications[I]["name"] & keyof Handlers]>>>
    : never
}

/** Creates tools from specifications and the map of their handlers, in the order of the specifications. */
export const implementAll = <
  const Specifications extends ReadonlyArray<ToolSpecification>,
  const Handlers extends HandlersFrom<Specifications>
>(
  specifications: Specifications & RejectInvalidNames<Specifications>,
  handlers: Handlers & RejectUnknownHandlers<Specifications, Handlers>
): ImplementedTools<Specifications, Handlers> =>
  specifications.map((specification: Specifications[number]) => {
    // Each handler has the types of the specification with its name, which TypeScript cannot infer for a string index.
    const sources = handlers as Readonly<
      Record<string, HandlerSource<ParameterSchema, JsonCodec, RequirementsOf<Handlers[keyof Handlers]>>>
    >
    const source = sources[specification.name]!
    return implement(specification, typeof source === "function" ? loadHandler(source) : source)
    // The type of `map` does not express that the result has one tool for each specification, in order.
  }) as unknown as ImplementedTools<Specifications, Handlers>

/** Selects tools by name. An engine with the selected tools needs only the ports that these tools use. */
export const pickTools = <
  Tools extends ReadonlyArray<{ readonly specification: ToolSpecification }>,
  const Name extends Tools[number]["specification"]["name"]
>(
  tools: Tools,
  names: ReadonlyArray<Name>
): ReadonlyArray<Extract<Tools[number], { readonly specification: { readonly name: Name } }>> =>
  tools.filter((tool): tool is Extract<Tools[number], { readonly specification: { readonly name: Name } }> =>
    names.some((name) => name === tool.specification.name)
  )

const loadHandler = <Parameters extends ParameterSchema, Result extends JsonCodec, R>(
  load: () => Promise<{ readonly handler: MakeHandler<Parameters, Result, R> }>
): MakeHandler<Parameters, Result, R> => Effect.flatMap(Effect.promise(load), ({ handler }) => handler)
