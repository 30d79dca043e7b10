import { defineConfig } from "vitest/config";

export default defineConfig(({ mode }) => ({
  test: {
    projects: [
      { test: { name: "maths", include: ["test/maths/**/*.test.ts"] } },
      {
        test: {
          name: "browser",
          include: ["test/browser/**/*.test.ts"],
          maxWorkers: 2,
          testTimeout: 30_000,
          hookTimeout: 60_000,
          env: { REFERENCES: mode === "references" ? "anew" : "" },
        },
      },
    ],
  },
}));
