package dev.runnel.wire;

import io.soabase.recordbuilder.core.RecordBuilder;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import javax.lang.model.element.Modifier;

/// Generates a builder for a record: one setter per component. Builders are not thread-safe.
@RecordBuilder.Template(
    options =
        @RecordBuilder.Options(
            enableWither = false,
            enableGetters = false,
            addStaticBuilder = false,
            inheritComponentAnnotations = false,
            builderClassModifiers = Modifier.FINAL))
@Retention(RetentionPolicy.SOURCE)
@Target(ElementType.TYPE)
@interface GenerateBuilder {}
