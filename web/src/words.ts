// The language that the page is in; sentences themselves are in text.ts.

import { signal } from "@preact/signals";
import type { Text } from "./text";

export * from "./text";

export type Language = "en" | "zh";

export const language = signal<Language>("en");

/** The sentence in the language that the page is in now. */
export const say = (text: Text): string => text[language.value];
