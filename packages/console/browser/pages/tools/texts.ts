import { russianPlural } from "../../i18n/language.ts"
import { defineTexts } from "../../i18n/texts.ts"

export const toolsTexts = defineTexts({
  en: {
    title: "Tools",
    lead:
      "Everything that the service computes, each with its price. Try one here, and take the call into your program.",
    search: "Search tools",
    area: "Area",
    all: "All",
    name: "Tool",
    summary: "What it tells",
    scope: "Scope",
    credits: "Credits",
    found: (count: number) => count === 1 ? "1 tool" : `${count} tools`,
    none: "No tool fits that",
    noneDetail: "Search for fewer words, or in all areas.",
    clear: "Show all tools",
    empty: "This key opens no tool",
    emptyDetail: "Its scopes let it call nothing. Give it read:market, or use another key."
  },
  ko: {
    title: "도구",
    lead: "서비스가 계산하는 모든 것과 그 가격입니다. 여기서 실행해 보고, 같은 호출을 프로그램에 옮겨 쓰세요.",
    search: "도구 검색",
    area: "분야",
    all: "전체",
    name: "도구",
    summary: "내용",
    scope: "권한",
    credits: "크레딧",
    found: (count) => `도구 ${count}개`,
    none: "맞는 도구가 없습니다",
    noneDetail: "더 적은 단어로, 또는 모든 분야에서 검색해 보세요.",
    clear: "모든 도구 보기",
    empty: "이 키로 쓸 수 있는 도구가 없습니다",
    emptyDetail: "키의 권한으로 호출할 수 있는 것이 없습니다. read:market 권한을 주거나 다른 키를 사용하세요."
  },
  ru: {
    title: "Инструменты",
    lead: "Всё, что вычисляет сервис, с ценой каждого. Попробуйте здесь и перенесите вызов в свою программу.",
    search: "Поиск инструментов",
    area: "Область",
    all: "Все",
    name: "Инструмент",
    summary: "Что сообщает",
    scope: "Право",
    credits: "Кредиты",
    found: (count) => `${count} ${russianPlural(count, "инструмент", "инструмента", "инструментов")}`,
    none: "Ничего не подходит",
    noneDetail: "Попробуйте меньше слов или все области.",
    clear: "Показать все",
    empty: "Этот ключ не открывает инструментов",
    emptyDetail: "Его прав не хватает ни на один вызов. Дайте ему read:market или возьмите другой ключ."
  }
})
