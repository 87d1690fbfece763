import { allScopes, type CallContext, Toolbox, tools, type ToolSpecification } from "@tapeline/core"
import type { Tool } from "@tapeline/core/engine"
import type { MarketPorts } from "@tapeline/core/market"
import { Effect, type Layer, Schema } from "effect"

const context: CallContext = {
  principal: { account: 1, actor: { _tag: "Key", key: 1 }, plan: "pro", scopes: allScopes },
  language: "en",
  callId: "1",
  limitMs: 10_000,
  conversation: null,
  parts: { find: () => undefined, call: () => Effect.die(new Error("these tools call no other tool")) }
}

/** A toolbox of the given tools, which may need only market ports. */
export const toolsOf = (specifications: ReadonlyArray<ToolSpecification>): Layer.Layer<Toolbox, never, MarketPorts> => {
  const names = new Set(specifications.map(({ name }) => name))
  return Toolbox.layer(
    // Callers choose only tools that need no other service.
    tools.filter(({ specification }) => names.has(specification.name)) as ReadonlyArray<
      Tool<ToolSpecification, MarketPorts>
    >
  )
}

/** Calls a tool and decodes its result. */
export const callTool = <S extends ToolSpecification>(specification: S, args: object) =>
  Effect.gen(function*() {
    const { handler } = (yield* Toolbox).find(specification.name)!
    const given = Schema.decodeUnknownSync(specification.parameters)(args)
    const result: S["result"]["Type"] = yield* handler(given, context)
    return result
  })
