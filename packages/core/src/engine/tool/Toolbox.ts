import { Context, Effect, Layer } from "effect"
import type { ReadyTool, Tool } from "./implement.ts"
import { toolName, type ToolSpecification } from "./specification.ts"

type RequirementsOf<T> = T extends Tool<ToolSpecification, infer R> ? R : never

/** The tools of an engine, in the order of the catalogue. */
export class Toolbox extends Context.Service<Toolbox, {
  readonly tools: ReadonlyArray<ReadyTool>
  readonly find: (name: string) => ReadyTool | undefined
}>()("@tapeline/core/tool/Toolbox") {
  /** Builds a toolbox of `tools`, or dies if a name is duplicate or invalid, or if a tool cannot be pure. */
  static readonly layer = <const Tools extends ReadonlyArray<Tool<ToolSpecification, unknown>>>(
    tools: Tools
  ): Layer.Layer<Toolbox, never, RequirementsOf<Tools[number]>> =>
    Layer.effect(
      Toolbox,
      Effect.gen(function*() {
        const readyTools: Array<ReadyTool> = []
        const byName = new Map<string, ReadyTool>()
        // The union of all requirements includes the requirements of each tool.
        for (const tool of tools as ReadonlyArray<Tool<ToolSpecification, RequirementsOf<Tools[number]>>>) {
          const { specification } = tool
          if (!toolName.test(specification.name)) {
            return yield* Effect.die(new Error(`${JSON.stringify(specification.name)} is not a valid tool name`))
          }
          if (byName.has(specification.name)) {
            return yield* Effect.die(new Error(`two tools are named ${specification.name}`))
          }
          if (specification.pure === true && (specification.credits !== 1 || specification.completesWhenAbandoned)) {
            return yield* Effect.die(new Error(`${specification.name} cannot be pure`))
          }
          const entry: ReadyTool = { specification, handler: yield* tool.make }
          readyTools.push(entry)
          byName.set(specification.name, entry)
        }
        return { tools: readyTools, find: (name) => byName.get(name) }
      })
    )
}
