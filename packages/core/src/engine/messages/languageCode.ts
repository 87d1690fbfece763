import { Schema } from "effect"

/** The languages that messages are written in, by their codes. */
export const Language = Schema.Literals(["en", "ko", "ru"])
export type Language = typeof Language.Type
