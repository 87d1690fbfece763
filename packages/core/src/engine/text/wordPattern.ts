/**
 * Builds a pattern that matches whole English words, Korean stems (particles follow the stems), and the beginnings of
 * Russian words (the endings vary).
 */
export const wordPattern = (english: string, korean: string, russian: string, flags = "iu"): RegExp =>
  new RegExp(
    `(?<![a-zа-я0-9])(?:${english})(?![a-zа-я])|${korean}|(?<![a-zа-я])(?:${russian})`,
    flags
  )
