import { Context, Effect, Layer } from "effect"
import type { Principal } from "../access/account.ts"
import type { MarketError } from "../market/errors.ts"
import type { Language } from "../messages/language.ts"
import type { ToolFailure } from "./failure.ts"
import type { JsonCodec, ParameterSchema, ToolSpecification } from "./specification.ts"

/** For whom a tool runs. */
export interface CallContext {
  readonly principal: Principal
  readonly language: Language
}

/** Answers one call. Arguments are decoded; the result is encoded by its schema, and one that breaks it is a defect. */
export type Handler<Parameters extends ParameterSchema, Result extends JsonCodec> = (
  args: Parameters["Type"],
  context: CallContext
) => Effect.Effect<Result["Type"], ToolFailure | MarketError>

/** A specification with what answers it. `make` resolves the handler's dependencies once. */
export interface Tool<S extends ToolSpecification = ToolSpecification, R = never> {
  readonly specification: S
  readonly make: Effect.Effect<Handler<ParameterSchema, JsonCodec>, never, R>
}

/** Joins a specification and its handler, whose types follow from it. */
export const implement = <
  Name extends string,
  Parameters extends ParameterSchema,
  Result extends JsonCodec,
  R
>(
  specification: ToolSpecification<Name, Parameters, Result>,
  make: Effect.Effect<Handler<Parameters, Result>, never, R>
): Tool<ToolSpecification<Name, Parameters, Result>, R> => ({
  specification,
  // The arguments reach the handler only through this specification's own decoder (ToolCaller), so they have its type.
  make: Effect.map(make, (handler) => (args, context) => handler(args, context))
})

/** A tool ready to be called. */
export interface ReadyTool {
  readonly specification: ToolSpecification
  readonly handler: Handler<ParameterSchema, JsonCodec>
}

type Needs<Tools extends ReadonlyArray<Tool<ToolSpecification, never> | Tool<ToolSpecification, unknown>>> =
  [Tools[number]] extends [never] ? never : Tools[number] extends Tool<ToolSpecification, infer R> ? R : never

/** The tools of this engine, in the order of the catalogue. */
export class Toolbox extends Context.Service<Toolbox, {
  readonly tools: ReadonlyArray<ReadyTool>
  readonly find: (name: string) => ReadyTool | undefined
}>()("@tapeline/core/tool/Toolbox") {
  /** A toolbox of `tools`. Two of one name are a defect. */
  static readonly layer = <const Tools extends ReadonlyArray<Tool<ToolSpecification, any>>>(
    tools: Tools
  ): Layer.Layer<Toolbox, never, Needs<Tools>> =>
    Layer.effect(
      Toolbox,
      Effect.gen(function*() {
        const ready: Array<ReadyTool> = []
        const byName = new Map<string, ReadyTool>()
        for (const tool of tools as ReadonlyArray<Tool<ToolSpecification, Needs<Tools>>>) {
          const { specification } = tool
          if (byName.has(specification.name)) {
            return yield* Effect.die(new Error(`two tools are named ${specification.name}`))
          }
          const entry: ReadyTool = { specification, handler: yield* tool.make }
          ready.push(entry)
          byName.set(specification.name, entry)
        }
        return { tools: ready, find: (name) => byName.get(name) }
      })
    )
}
