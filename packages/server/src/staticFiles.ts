import { readConsole, readStaticFiles, type StaticFile } from "@tapeline/console"
import { Effect } from "effect"
import type { Settings } from "./settings.ts"

/** Returns the files of the console, or undefined if the console is disabled or was not built. */
export const readConsoleFiles = (
  { hasConsole }: Pick<Settings, "hasConsole">
): Effect.Effect<ReadonlyArray<StaticFile> | undefined> =>
  hasConsole ? Effect.promise(() => readConsole()) : Effect.succeed(undefined)

/** Returns the files of the documentation site, or undefined if no folder of a built site is configured. */
export const readDocumentationSite = (
  { documentationSite }: Pick<Settings, "documentationSite">
): Effect.Effect<ReadonlyArray<StaticFile> | undefined> =>
  documentationSite === undefined ? Effect.succeed(undefined) : Effect.promise(() => readStaticFiles(documentationSite))
