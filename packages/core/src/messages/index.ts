export * from "./dictionary.ts"
export * from "./issue.ts"
export * from "./language.ts"
export * from "./languageCode.ts"
