import type { Area } from "@tapeline/core/specifications"
import type { LocalizedName } from "../page.ts"

export const areaNames: Readonly<Record<Area, LocalizedName>> = {
  crypto: { en: "Coins", ko: "코인", ru: "Монеты" },
  derivatives: { en: "Derivatives", ko: "파생상품", ru: "Деривативы" },
  signals: { en: "Signals", ko: "시그널", ru: "Сигналы" },
  options: { en: "Options", ko: "옵션", ru: "Опционы" },
  onchain: { en: "On-chain", ko: "온체인", ru: "Ончейн" },
  social: { en: "Social", ko: "소셜", ru: "Соцсети" },
  news: { en: "News", ko: "뉴스", ru: "Новости" },
  korea: { en: "Korea", ko: "한국", ru: "Корея" },
  us: { en: "US stocks", ko: "미국 주식", ru: "Акции США" },
  macro: { en: "Macro", ko: "거시경제", ru: "Макро" },
  backtest: { en: "Backtests", ko: "백테스트", ru: "Бэктесты" },
  code: { en: "Scripts", ko: "스크립트", ru: "Скрипты" },
  chart: { en: "Charts", ko: "차트", ru: "Графики" },
  journal: { en: "Journal", ko: "매매 일지", ru: "Журнал" },
  tasks: { en: "Tasks", ko: "작업", ru: "Задачи" }
}
