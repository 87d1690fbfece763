import { type ConsoleFile, readConsole } from "@tapeline/console"
import { Effect } from "effect"
import type { Settings } from "./settings.ts"

/** The files of the console. Undefined if it is switched off or was not built. */
export const readConsoleFiles = (
  { hasConsole }: Pick<Settings, "hasConsole">
): Effect.Effect<ReadonlyArray<ConsoleFile> | undefined> =>
  hasConsole ? Effect.promise(() => readConsole()) : Effect.succeed(undefined)
