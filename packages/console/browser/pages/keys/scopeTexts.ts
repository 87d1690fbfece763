import type { Scope } from "@tapeline/core/specifications"
import { defineTexts } from "../../i18n/texts.ts"

type ScopeMeanings = Readonly<Record<Scope, string>>

const english: ScopeMeanings = {
  "read:market": "Every market tool",
  "read:korea": "Market tools for Korea",
  "read:us": "Market tools for the US",
  "read:personal": "Reads the journal, watchlist, risk profile, tasks and notifications",
  "write:personal": "Changes the journal, watchlist, risk profile, tasks and notifications",
  "agent:chat":
    "Asks the analyst, reads all market data through it, and sees conversations that used no scope the key lacks"
}

export const scopeTexts = defineTexts<ScopeMeanings>({
  en: english,
  ko: {
    "read:market": "모든 시장 도구",
    "read:korea": "한국 시장 도구",
    "read:us": "미국 시장 도구",
    "read:personal": "매매 일지, 관심 종목, 리스크 프로필, 작업, 알림 조회",
    "write:personal": "매매 일지, 관심 종목, 리스크 프로필, 작업, 알림 변경",
    "agent:chat":
      "애널리스트에게 질문하고 이를 통해 모든 시장 데이터를 조회하며, 이 키에 없는 권한이 쓰이지 않은 대화를 봅니다"
  },
  ru: {
    "read:market": "Все рыночные инструменты",
    "read:korea": "Рыночные инструменты Кореи",
    "read:us": "Рыночные инструменты США",
    "read:personal": "Чтение журнала, избранного, профиля риска, задач и уведомлений",
    "write:personal": "Изменение журнала, избранного, профиля риска, задач и уведомлений",
    "agent:chat":
      "Вопросы аналитику, доступ через него ко всем рыночным данным и диалоги, где не применялись права, которых нет у " +
      "ключа"
  }
})
