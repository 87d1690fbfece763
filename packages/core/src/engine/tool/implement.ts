import { Effect, Predicate } from "effect"
import type { CallContext } from "../call/CallContext.ts"
import { formatMessage } from "../messages/language.ts"
import type { StoreUnavailable } from "../store/errors.ts"
import { atArgument, runAsOf } from "./asOf.ts"
import type { Exactly } from "./exactType.ts"
import { type ConvertibleToToolFailure, ToolFailure } from "./failure.ts"
import type { IsToolName, JsonCodec, ParameterSchema, ToolSpecification } from "./specification.ts"

/**
 * The errors of a handler: a `ToolFailure`, an error of a port that converts itself, or an unavailable store. The last
 * rejects the call instead of failing it.
 */
export type HandlerError = ToolFailure | StoreUnavailable | ConvertibleToToolFailure

/**
 * Computes the result of one call. Arguments are decoded. The schema encodes the result; a result that does not match
 * the schema is a defect.
 */
export type Handler<Parameters extends ParameterSchema, Result extends JsonCodec> = (
  args: Parameters["Type"],
  context: CallContext
) => Effect.Effect<Result["Type"], HandlerError>

/** Makes a handler. Its dependencies are resolved once, when the toolbox is built. */
type MakeHandler<Parameters extends ParameterSchema, Result extends JsonCodec, R> = Effect.Effect<
  Handler<Parameters, Result>,
  never,
  R
>

/** Like `MakeHandler`, for a handler that returns `A`, which has no field that the result lacks. */
type MakeExactHandler<Parameters extends ParameterSchema, Result extends JsonCodec, A, R> =
  & Effect.Effect<(args: Parameters["Type"], context: CallContext) => Effect.Effect<A, HandlerError>, never, R>
  & Exactly<A, Result["Type"]>

/** Types a handler by its specification: its arguments and its exact result. */
export const handlerOf = <
  Parameters extends ParameterSchema,
  Result extends JsonCodec,
  A extends Result["Type"],
  R
>(
  _specification: ToolSpecification<string, Parameters, Result>,
  make: MakeExactHandler<Parameters, Result, A, R>
): MakeHandler<Parameters, Result, R> => make

/** A handler whose only errors are a failed call and an unavailable store. */
type ReadyHandler = (
  args: unknown,
  context: CallContext
) => Effect.Effect<unknown, ToolFailure | StoreUnavailable>

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

/**
 * Replaces the message for an unknown name by a message that suggests the other kind. A caller that requests AAPL as a
 * coin wants a stock. For a tool that accepts both kinds, the message names its other argument.
 */
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
    if (key === undefined || failure._tag !== "ToolFailure" || typeof failure.says === "string") return failure
    if (failure.says.key !== "unknown_symbol") return failure
    const { code, retryable, says: { params } } = failure
    return new ToolFailure({ code, retryable, says: { key, params } })
  }
}

/** The message of an error. If the error has no message, its tag and the message for the caller. */
const reasonOf = (error: ConvertibleToToolFailure): string => {
  if (error instanceof Error && error.message !== "") return error.message
  const name = Predicate.hasProperty(error, "_tag") ? String(error._tag) : "an error without a tag"
  const { says } = error.toolFailure
  return `${name}: ${typeof says === "string" ? says : formatMessage(says, "en")}`
}

/** Logs why a source is unavailable, because the message for the caller contains few details. */
const logSourceFailure = (tool: string, error: HandlerError): Effect.Effect<void> => {
  if (!("toolFailure" in error) || error.toolFailure.code !== "source_unavailable") return Effect.void
  const message = `${tool} could not be answered: ${reasonOf(error)}`
  return error.isBusy === true ? Effect.logDebug(message) : Effect.logWarning(message)
}

/** Makes a tool from a specification and its handler. The specification determines the handler's types. */
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
  // The arguments reach the handler only through this specification's own decoder (ToolCaller), so they have its type.
  make: Effect.map(make, (handler) => {
    const withKindHint = makeKindHint(specification.parameters)
    const takesAt = "at" in specification.parameters.fields
    return (args, context) => {
      const asOf = takesAt ? atArgument(args) : undefined
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
  })
})

/**
 * A handler, or a function that imports the module which exports it as `handler`. The module is loaded when the toolbox
 * is built.
 */
type HandlerSource<Parameters extends ParameterSchema, Result extends JsonCodec, R> =
  | MakeHandler<Parameters, Result, R>
  | (() => Promise<{ readonly handler: MakeHandler<Parameters, Result, R> }>)

/**
 * A handler for each of `Specifications`, by the tool's name. A missing handler, or a handler with another result, does
 * not compile.
 */
export type HandlersFrom<Specifications extends ReadonlyArray<ToolSpecification>> = {
  readonly [S in Specifications[number] as S["name"]]: HandlerSource<S["parameters"], S["result"], unknown>
}

type RequirementsOf<Source> = Source extends Effect.Effect<unknown, never, infer R> ? R
  : Source extends () => Promise<{ readonly handler: Effect.Effect<unknown, never, infer R> }> ? R
  : never

type ResultOfHandler<Handler> = Handler extends (...args: never) => Effect.Effect<infer A, unknown> ? A : never

/** The result type of a source's handler. */
type ResultOfSource<Source> = Source extends Effect.Effect<infer Handler, never, unknown> ? ResultOfHandler<Handler>
  : Source extends () => Promise<{ readonly handler: Effect.Effect<infer Handler, never, unknown> }> ?
    ResultOfHandler<Handler>
  : never

/**
 * Rejects handlers without a specification, handlers with fields that their results lack, and handlers with unknown
 * requirements.
 */
type RejectUnknownHandlers<Specifications extends ReadonlyArray<ToolSpecification>, Handlers> =
  & { readonly [Name in Exclude<keyof Handlers, Specifications[number]["name"]>]: never }
  & {
    readonly [S in Specifications[number] as S["name"] & keyof Handlers]:
      & Exactly<ResultOfSource<Handlers[S["name"] & keyof Handlers]>, S["result"]["Type"]>
      & (unknown extends RequirementsOf<Handlers[S["name"] & keyof Handlers]> ? { readonly "what does it need?": never }
        : unknown)
  }

/**
 * Rejects specifications with invalid or duplicate names. The toolbox checks names that are not known at compile time.
 */
type RejectInvalidNames<Specifications, SeenNames = never> = Specifications extends readonly [infer One, ...infer Rest]
  ? One extends { readonly name: infer Name } ? string extends Name ? RejectInvalidNames<Rest, SeenNames>
    : Name extends SeenNames ? { readonly "two tools of one name": Name }
    : IsToolName<Name> extends true ? RejectInvalidNames<Rest, SeenNames | Name>
    : { readonly "a name is lower-case letters, digits and _": Name }
  : RejectInvalidNames<Rest, SeenNames>
  : unknown

/**
 * The requirements of a map that does not compile are unknown. The error is then reported at the map, and not at each
 * use of the tools.
 */
type KnownRequirements<Needs> = unknown extends Needs ? never : Needs

/** Tools in the order of their specifications, each with its own requirements. */
type ImplementedTools<Specifications extends ReadonlyArray<ToolSpecification>, Handlers> = {
  readonly [I in keyof Specifications]: Specifications[I] extends ToolSpecification
    ? Tool<Specifications[I], KnownRequirements<RequirementsOf<Handlers[Specifications[I]["name"] & keyof Handlers]>>>
    : never
}

/** Makes tools from specifications and the map of their handlers, in the order of the specifications. */
export const implementAll = <
  const Specifications extends ReadonlyArray<ToolSpecification>,
  const Handlers extends HandlersFrom<Specifications>
>(
  specifications: Specifications & RejectInvalidNames<Specifications>,
  handlers: Handlers & RejectUnknownHandlers<Specifications, Handlers>
): ImplementedTools<Specifications, Handlers> =>
  specifications.map((specification: Specifications[number]) => {
    // The handler of a name has the types of that name's specification, which TypeScript cannot infer for an index by
    // string.
    const sources = handlers as Readonly<
      Record<string, HandlerSource<ParameterSchema, JsonCodec, RequirementsOf<Handlers[keyof Handlers]>>>
    >
    const source = sources[specification.name]!
    return implement(specification, typeof source === "function" ? loadHandler(source) : source)
    // One tool for each specification, in order, which the type of `map` does not express.
  }) as unknown as ImplementedTools<Specifications, Handlers>

/** Selects tools by name, so that an engine needs only the ports of these tools. */
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
