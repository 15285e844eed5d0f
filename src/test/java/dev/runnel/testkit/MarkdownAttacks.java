package dev.runnel.testkit;

import java.util.List;

/// Markdown of agents and of people that tries to act on the page that shows it.
public final class MarkdownAttacks {
  private MarkdownAttacks() {}

  public static final List<String> ALL =
      List.of(
          "<script>alert(1)</script>",
          "<img src=x onerror=alert(1)>",
          "[x](javascript:alert(1))",
          "[x](  JaVaScRiPt:alert(1))",
          "[x](java\nscript:alert(1))",
          "[x](data:text/html;base64,PHNjcmlwdD4=)",
          "[x](vbscript:x)",
          "[x](//evil.example)",
          "[x](/attention)",
          "![x](javascript:alert(1))",
          "<javascript:alert(1)>",
          "[x]: javascript:alert(1)\n\n[x]",
          "[a](https://a.example/\"onmouseover=\"alert(1))",
          "[a](https://a.example/ \"t\" onclick=\"alert(1)\")",
          "```\"><script>alert(1)</script>\nx\n```",
          "``` x\" onclick=\"alert(1)\nx\n```",
          "| <b onclick=x> |\n|---|\n| <script> |",
          "# <iframe src=https://evil.example>",
          "<div style=\"position:fixed\">over all</div>",
          "<form action=/leave method=post><button>",
          "<!-- <script>alert(1)</script> -->",
          "<a href=\"javascript:alert(1)\">x</a>",
          "&lt;script&gt;alert(1)&lt;/script&gt;",
          "https://a.example/<script>alert(1)</script>",
          "\u0000<script>");
}
