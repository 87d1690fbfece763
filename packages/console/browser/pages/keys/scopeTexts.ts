import type { Scope } from "@tapeline/core/specifications"
import { defineTexts } from "../../i18n/texts.ts"

type ScopeMeanings = Readonly<Record<Scope, string>>

const english: ScopeMeanings = {
  "read:market": "Every market tool",
  "read:korea": "Market tools for Korea",
  "read:us": "Market tools for the US",
  "read:personal": "Positions, trades, tasks and notifications",
  "write:personal": "Changes to positions, tasks and notifications",
  "agent:chat": "Asks the analyst, reads all market data through it, and sees conversations that used no other scope"
}

export const scopeTexts = defineTexts<ScopeMeanings>({
  en: english,
  ko: {
    "read:market": "모든 시장 도구",
    "read:korea": "한국 시장 도구",
    "read:us": "미국 시장 도구",
    "read:personal": "포지션, 매매, 작업, 알림 읽기",
    "write:personal": "포지션, 매매, 작업, 알림 변경",
    "agent:chat": "애널리스트에게 질문하고 모든 시장 데이터를 조회하며, 다른 권한을 쓰지 않은 대화를 봅니다"
  },
  ru: {
    "read:market": "Все рыночные инструменты",
    "read:korea": "Рыночные инструменты Кореи",
    "read:us": "Рыночные инструменты США",
    "read:personal": "Чтение позиций, сделок, задач и уведомлений",
    "write:personal": "Изменение позиций, задач и уведомлений",
    "agent:chat": "Вопросы аналитику, доступ через него ко всем рыночным данным и диалоги без других прав"
  }
})
