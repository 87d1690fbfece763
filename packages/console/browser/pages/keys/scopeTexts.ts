import type { Scope } from "@tapeline/core/specifications"
import { defineTexts } from "../../i18n/texts.ts"

type ScopeMeanings = Readonly<Record<Scope, string>>

const english: ScopeMeanings = {
  "read:market": "Every market tool",
  "read:korea": "Market tools of Korea",
  "read:us": "Market tools of the US",
  "read:personal": "Positions, trades, tasks and notifications",
  "write:personal": "Changing them",
  "agent:chat":
    "Asks the analyst, reads all market data through it, and sees the conversations that used no other scope"
}

/** The meaning of each scope. */
export const scopeTexts = defineTexts<ScopeMeanings>({
  en: english,
  ko: {
    "read:market": "모든 시장 도구",
    "read:korea": "한국 시장 도구",
    "read:us": "미국 시장 도구",
    "read:personal": "포지션, 매매, 작업, 알림 읽기",
    "write:personal": "위 기록 변경",
    "agent:chat": "애널리스트에게 질문하고 모든 시장 데이터를 읽으며, 이 키에 없는 권한을 쓰지 않은 대화를 봅니다"
  },
  ru: {
    "read:market": "Все рыночные инструменты",
    "read:korea": "Рыночные инструменты Кореи",
    "read:us": "Рыночные инструменты США",
    "read:personal": "Позиции, сделки, задачи и уведомления",
    "write:personal": "Их изменение",
    "agent:chat": "Вопросы аналитику, через него все рыночные данные, и беседы, где не нужны другие права"
  }
})
