import { Schema } from "effect"

/** The codes of the languages that messages are written in. */
export const Language = Schema.Literals(["en", "ko", "ru"])
export type Language = typeof Language.Type
