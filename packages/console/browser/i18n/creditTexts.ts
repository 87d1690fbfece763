import { russianPlural } from "./language.ts"

export const creditTexts = {
  en: (count: number): string => `${count} ${count === 1 ? "credit" : "credits"}`,
  ko: (count: number): string => `${count} 크레딧`,
  ru: (count: number): string => `${count} ${russianPlural(count, "кредит", "кредита", "кредитов")}`
} as const
